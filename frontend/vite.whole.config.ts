/** Builds a page that holds everything (--mode map, --mode loadings), which the Python package fills in. */
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig(({ mode }) => ({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "../src/resemblance/plotting/static",
    emptyOutDir: mode === "map", // the first of them
    modulePreload: false,
    target: "es2022",
    rollupOptions: { input: `${mode}.html` },
  },
}));
