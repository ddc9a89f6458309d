import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Whole processes, builds and simulated hours run beside each other here: nothing asserts on wall time, and a slow machine is no failure.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    reporters: ["default", "./test/support/last-line-reporter.ts", "./test/conformance/record-reporter.ts"],
    coverage: { provider: "v8", include: ["src/**"] },
  },
});
