import { defineConfig } from "vitest/config";
import { roomFilesPlugin } from "./test/support/room-files.js";
import { FULL_RUNS_VARIABLE } from "./test/support/sampled-runs.js";

/** Tests of which `npm test` runs a third: the users of test/support/sampled-runs.ts. */
const SAMPLED = [
  "test/account/{liquidation-races,races}.test.ts",
  "test/bot/configure-strategies.test.ts",
  "test/exchange/odd-answers.test.ts",
  "test/scenarios/odd-answers-of-{a-node,the-exchange}.test.ts",
];

/** What takes long: captures at their own speed, a thousand seeds, the site in a browser. */
export default defineConfig({
  plugins: [roomFilesPlugin()],
  test: {
    include: ["test/**/*.verify.ts", ...SAMPLED],
    env: { [FULL_RUNS_VARIABLE]: "1" },
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    maxWorkers: 2,
    globalSetup: "./test/support/scratch-folder.ts",
    setupFiles: "./test/support/property-seed.ts",
    reporters: ["default", "./test/support/last-line-reporter.ts"],
  },
});
