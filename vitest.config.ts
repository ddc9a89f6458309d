import { defineConfig } from "vitest/config";
import { BUILT_MODULES, builtSources } from "./test/support/built-sources.js";
import LongestFirst from "./test/support/longest-first.js";
import { roomFilesPlugin } from "./test/support/room-files.js";

/**
 * Tests in virtual time, or against servers and commands of their own, that leave nothing behind:
 * their files share a process, as loading the program anew for each costs more than most of them
 * do. Whatever measures the heap, gets signals or changes what a process has but once is left to
 * have one to itself, and so is what only starts processes.
 */
const SHARED = [
  "test/{account,conformance,executor,market,perpetual,reference,risk,scenarios,strategies,validation}/**/*.test.ts",
  "test/core/!(atomic-file|process-lock).test.ts",
  "test/backtest/{book,compare,config,engine,feed,matching,paper,record,venue}/**/*.test.ts",
  "test/backtest/queue/failed-reason.test.ts",
  "test/backtest/session/*.test.ts",
  "test/backtest/run/!(threaded-path).test.ts",
  "test/backtest/report/!(report-writer).test.ts",
  "test/backtest/sweep/!(thread-pool).test.ts",
  "test/bot/!(control|load-strategy*).test.ts",
  "test/bot/state/{built-hashes,guard-heartbeat,halt-memory,latch-memory,retrying-store,trade-log}.test.ts",
  "test/bot/{hedge,run,statistics,unwind}/**/*.test.ts",
  "test/chain/**/!(liquidation-over-http).test.ts",
  "test/cli/!(check|loaded-packages|npm-launch|process-end|screen-keys|secrets|start-up).test.ts",
  "test/cockpit/*.test.ts",
  "test/cockpit/page/!(cockpit-page).test.ts",
  "test/contracts/!(interface).test.ts",
  "test/exchange/**/*.test.ts",
  "test/hedge/*.test.ts",
  "test/history/!(store-lock).test.ts",
  "test/history/{columns,record,sources}/*.test.ts",
  "test/ledger/{ledger-export,live-report,missed-liquidations}.test.ts",
  "test/liquidator/**/*.test.ts",
  "test/live/!(loopback).test.ts",
  "test/monitoring/{log,metrics-server,metrics-server-bounds,screen,screen-controls,screen-liquidator}.test.ts",
  "test/notify/*.test.ts",
  "test/simulation/*.test.ts",
  "test/project/{demo,exchange-interface,readme,strategy-example,wallets}.test.ts",
  "test/simulator/!(http-abuse|slow-reader).test.ts",
  "test/simulator/{chain,dialects,faults,flow,markets,naive,settlement}/**/*.test.ts",
  "test/simulator/openapi/*.test.ts",
  "test/simulator/store/{lasting-records,restart,restart-properties}.test.ts",
];

export default defineConfig({
  test: {
    // Whole processes, builds and simulated hours run beside each other here: nothing asserts on wall time, and a slow machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One more than a small machine has cores: many tests wait for processes and servers of their own.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: "./test/support/scratch-folder.ts",
    setupFiles: "./test/support/property-seed.ts",
    reporters: [
      "default",
      "./test/support/last-line-reporter.ts",
      "./test/support/failures-reporter.ts",
      "./test/conformance/record-reporter.ts",
    ],
    coverage: { provider: "v8", include: ["src/**"] },
    projects: [
      {
        extends: true,
        plugins: [builtSources(), roomFilesPlugin()],
        test: {
          name: "shared",
          include: SHARED,
          isolate: false,
          server: { deps: { external: [BUILT_MODULES] } },
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        plugins: [builtSources(), roomFilesPlugin()],
        test: {
          name: "alone",
          include: ["test/**/*.test.ts"],
          exclude: SHARED,
          server: { deps: { external: [BUILT_MODULES] } },
          sequence: { groupOrder: 0 },
        },
      },
    ],
  },
});
