/** Builds the map into one page that holds everything, which the Python package fills in. */
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: {
    outDir: "../src/resemblance/plotting/static",
    emptyOutDir: true,
    modulePreload: false,
    target: "es2022",
    rollupOptions: { input: "map.html" },
  },
});
