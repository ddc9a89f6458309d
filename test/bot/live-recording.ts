import { JournalFile } from "#bot/journal-file.js";
import { startBot } from "#bot/run-bot.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { NetworkTransport } from "#exchange/network-transport.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { serveExchange } from "#simulator/http-server.js";
import { botConfigOf, EXCHANGE, PRIVATE_KEY, SILENT } from "./recorded-run.js";
import { type Struck, TroubledTransport } from "./troubled-transport.js";

/**
 * A bot on a real port of this machine, in real time, over a network that fails in the middle of
 * its run, with its journal in a file.
 */
export async function recordLive(
  path: string,
  forMs: number,
): Promise<{ readonly struck: Struck; readonly placed: number; readonly fills: number }> {
  const runtime = createLiveRuntime();
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => runtime.clock.setTimer(ms, () => resolve()));
  const server = await serveExchange(
    configuredExchange(parseExchangeConfig({ ...EXCHANGE, port: 0 }), createLiveRuntime()),
  );
  const network = new NetworkTransport({
    restUrl: server.restUrl,
    streamUrl: server.streamUrl,
    clock: runtime.clock,
    connections: 32,
  });
  const transport = new TroubledTransport(network, runtime);
  const journal = new JournalFile(path, runtime.clock);
  try {
    const running = await startBot({
      config: botConfigOf({
        exchange: {
          rest: server.restUrl,
          stream: server.streamUrl,
          requestTimeoutMs: 500,
          reconcileMs: 2000,
        },
        decide: { everyMs: 250, minGapMs: 50 },
      }),
      privateKey: PRIVATE_KEY,
      runtime,
      store: new MemoryStateStore(),
      log: SILENT,
      transport,
      journal,
    });
    await sleep(1_500);
    transport.on = true;
    await sleep(forMs - 3_000);
    transport.on = false;
    await sleep(1_500);
    running.command({ command: "stop", reason: "the recording is over" });
    await running.stopped;
    running.close();
    const { placed, fills } = running.bot.context.account.counts;
    return { struck: transport.struck, placed, fills };
  } finally {
    journal.close();
    await server.close();
  }
}
