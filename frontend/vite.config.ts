/** Builds the pages into the Python package, and runs the tests of its parts. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "/static/",
  publicDir: "plugin", // for laboratories' own pages: served as it is
  build: {
    outDir: "../src/resemblance/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0, // nothing inline: the page's policy allows only files of its own host
    modulePreload: false,
    license: { fileName: "licenses.md" }, // of what is bundled, as their licenses ask
    target: "es2022",
    cssTarget: ["chrome107", "firefox104", "safari16"], // which know no light-dark()
    rollupOptions: { input: ["participant.html", "desk.html", "search.html", "open.html"] },
  },
  test: { environment: "happy-dom", include: ["test/*.test.ts"] },
});
