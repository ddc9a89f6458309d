import { defineConfig } from "vitest/config";
import { roomFilesPlugin } from "./test/support/room-files.js";

/** What takes long: captures at their own speed, a thousand seeds, the site in a browser. */
export default defineConfig({
  plugins: [roomFilesPlugin()],
  test: {
    include: ["test/**/*.verify.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    globalSetup: "./test/support/scratch-folder.ts",
    setupFiles: "./test/support/property-seed.ts",
    reporters: ["default", "./test/support/last-line-reporter.ts"],
  },
});
