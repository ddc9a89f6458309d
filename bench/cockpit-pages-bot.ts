import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { botSchema } from "#bot/config-schema.js";
import { startControlServer } from "#bot/control-server.js";
import { buildFrame } from "#bot/frame.js";
import { startBot } from "#bot/run-bot.js";
import { addRunningBotEntry } from "#bot/running-bots.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { TurnQueue } from "#bot/turn-queue.js";
import { CockpitHost } from "#cockpit/cockpit-host.js";
import type { CockpitLink } from "#cockpit/cockpit-messages.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { initCrypto } from "#core/signing.js";
import { createLog, silentLog } from "#monitoring/log.js";

/** The work of the bot's thread since the start, and a link to its cockpit. */
export interface CockpitBotLoad {
  /** Processor time of the main thread alone: the cockpit has its own. */
  readonly cpuMs: number;
  readonly turns: number;
  readonly link: CockpitLink;
}

/** Counts the turns: each of them reads the clock once. */
let turns = 0;
const { stampNow } = TurnQueue.prototype;
TurnQueue.prototype.stampNow = function (this: TurnQueue, stamp) {
  turns++;
  stampNow.call(this, stamp);
};

/**
 * A bot as `marketwright run` starts it, with its control socket and its cockpit; only its state is
 * in memory.
 */
async function run(port: number, markets: readonly string[]): Promise<void> {
  await initCrypto();
  const runtime = createLiveRuntime();
  const market = {
    strategy: "ladder",
    params: { levels: 3, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.01 },
    limits: { maxPositionBase: 1, maxOrderBase: 0.1, maxOpenOrders: 20 },
  };
  const running = await startBot({
    config: {
      ...botSchema.parse({
        exchange: { rest: `http://127.0.0.1:${port}/v1`, stream: `ws://127.0.0.1:${port}/v1` },
        account: { keyEnv: "NONE" },
        quotes: { timeInForce: "POST_ONLY" },
        markets: Object.fromEntries(markets.map((id) => [id, market])),
        risk: { maxDrawdownQuote: 1_000_000, maxLoopLagMs: 60_000, maxBookAgeMs: 60_000 },
        cockpit: { port: 0, control: true },
      }),
      path: "/bench.yaml",
    },
    privateKey: `0x${"4d".repeat(32)}`,
    runtime,
    store: new MemoryStateStore(),
    log: createLog({ write: () => {} }, { level: "info", clock: runtime.clock }),
  });
  running.stopped.catch((error: unknown) => {
    throw error;
  });
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const env = { XDG_RUNTIME_DIR: folder };
  const { socketPath } = await startControlServer(join(folder, "c.sock"), async () => null, {
    clock: runtime.clock,
    frame: () => buildFrame(running),
  });
  addRunningBotEntry({ pid: process.pid, config: "/bench.yaml", account: "0x0", socketPath }, env);
  const cockpit = new CockpitHost({
    port: 0,
    env,
    clock: runtime.clock,
    log: silentLog,
    onFirstOpen: () => process.send?.({ ports: [] }),
  });
  process.on("message", () => {
    void cockpit.link().then((link) => {
      process.send?.({ cpuMs: mainThreadCpuMs(), turns, link } satisfies CockpitBotLoad);
    });
  });
}

/** Processor time of this process's first thread (proc(5), schedstat). */
function mainThreadCpuMs(): number {
  const [nanoseconds = ""] = readFileSync(
    `/proc/${process.pid}/task/${process.pid}/schedstat`,
    "utf8",
  ).split(" ");
  return Number(nanoseconds) / 1e6;
}

await run(Number(process.argv[2]), (process.argv[3] ?? "").split(","));
