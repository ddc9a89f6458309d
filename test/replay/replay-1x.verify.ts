import { setTimeout as sleep } from "node:timers/promises";
import { describe } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { Ms } from "#core/units.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { serveExchange } from "#simulator/http-server.js";
import { recordedCapture } from "../simulator/flow/capture-fixture.js";
import { promisesOfReplay } from "./replay-promises.js";
import { type ReplayResult, replayBotConfig, replayingExchange, runReplay } from "./replay-run.js";

const files = recordedCapture("btcusdt-perp_20240808");
/** So that the profit has a part of funding within six minutes. */
const FUNDING_INTERVAL_MS: Ms = 90_000;
const CONNECTIONS = 32;

describe.skipIf(files === null)(
  "the bot of config/replay.yaml on the capture of 2024-08-08 at its own speed, over HTTP and websockets",
  () => {
    promisesOfReplay(
      async (): Promise<ReplayResult> => {
        if (files === null) throw new Error("no recorded data");
        const runtime = createLiveRuntime();
        const replaying = replayingExchange(runtime, files, {
          speed: 1,
          port: 0,
          fundingIntervalMs: FUNDING_INTERVAL_MS,
        });
        const faults: unknown[] = [];
        const server = await serveExchange(replaying.exchange, {
          onFault: (error) => faults.push(error),
        });
        const config = replayBotConfig({ rest: server.restUrl, stream: server.streamUrl });
        const transport = new NetworkTransport({
          restUrl: server.restUrl,
          streamUrl: server.streamUrl,
          clock: runtime.clock,
          connections: CONNECTIONS,
        });
        try {
          const pass = (ms: Ms): Promise<void> => sleep(ms);
          return await runReplay(replaying, config, {
            runtime,
            transport,
            pass,
            sampleEveryMs: 1_000,
            until: (promise) => promise,
          });
        } finally {
          await server.close();
          if (faults.length > 0) console.error("the exchange failed", faults);
        }
      },
      { captureMs: 340_000, quotedShare: 0.9, levels: 9_500, sums: 32 },
    );
  },
);
