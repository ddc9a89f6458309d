import type { ParityInputs } from "../../../src/backtest/compare/fit.js";
import { openSession, parityInputsOf } from "../../../src/backtest/compare/open-session.js";
import { type PaperModels, PaperVenue } from "../../../src/backtest/paper/paper-venue.js";
import type { Session } from "../../../src/backtest/session/session-file.js";
import { SessionRecording } from "../../../src/backtest/session/session-recording.js";
import type { BotConfig } from "../../../src/bot/config/config.js";
import { startBot } from "../../../src/bot/run/run-bot.js";
import { MemoryStateStore } from "../../../src/bot/state/state-dir.js";
import type { Random } from "../../../src/core/seam.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import type { Hex, MarketId, Ms } from "../../../src/core/units.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";
import { logTo } from "../../../src/monitoring/log.js";
import type { ExchangeConfig } from "../../../src/simulator/config.js";
import { EmbeddedExchange } from "../../../src/simulator/exchange.js";
import type { OrderFlow } from "../../../src/simulator/flow-market.js";
import { FaultSource } from "../../simulation/faults.js";
import { FaultyNetwork } from "../../simulation/faulty-network.js";

export const MARKET: MarketId = "btcusdc";
const PRIVATE_KEY: Hex = `0x${"17".repeat(32)}`;
/** Every delay at its least, a millisecond or two. */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

/** A session to be recorded. */
export interface SessionWish {
  readonly config: BotConfig;
  readonly exchange: ExchangeConfig;
  readonly flow?: OrderFlow;
  readonly startMs: Ms;
  readonly forMs: Ms;
  /** Where it is recorded; it is made. */
  readonly folder: string;
  /** Fills its orders on paper, and sends none. */
  readonly paper?: PaperModels;
  /** Ends it as a killed process does. */
  readonly kill?: boolean;
}

/** A recorded session, and what its folder holds. */
export interface RecordedSession {
  readonly folder: string;
  readonly log: readonly string[];
  readonly session: Session | undefined;
}

/** Runs a bot on the embedded exchange in virtual time, over a network in memory, and records it. */
export async function recordSession({
  config,
  exchange: wanted,
  flow,
  startMs,
  forMs,
  folder,
  paper,
  kill = false,
}: SessionWish): Promise<RecordedSession> {
  const clock = new VirtualClock(startMs);
  const seam = { clock, random: seededRandom("session") };
  const exchange = new EmbeddedExchange(wanted, seam, flow === undefined ? {} : { flowOf: () => flow });
  exchange.start();
  const log: string[] = [];
  SessionRecording.claim(folder);
  let recording: SessionRecording | undefined;
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    // Some of what is waited for is the disk's and the database's: no virtual time passes for it.
    for (let steps = 0; !isSettled && steps < 100_000; steps++) {
      await clock.runFor(1);
      if (steps % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    }
    return promise;
  };
  const running = await settled(
    startBot({
      config,
      privateKey: PRIVATE_KEY,
      seam,
      store: new MemoryStateStore(),
      log: logTo({ write: (line) => log.push(line.trim()) }, { level: "warn", clock }),
      transport: new FaultyNetwork(exchange, clock, new FaultSource([], QUICKEST), "10.0.0.1"),
      ...(paper === undefined
        ? {}
        : { dryRun: true, paper: (live, { rules }, bot) => new PaperVenue({ live, config, rules, models: paper, clock, ...bot }) }),
      record: async (beginning) => {
        const onFailed = (error: unknown): void => {
          throw error;
        };
        recording = await SessionRecording.begin(
          { folder, config, mode: paper === undefined ? "live" : "paper", version: "1.0.0", seam, onFailed },
          beginning,
        );
        return recording;
      },
    }),
  );
  await clock.runFor(forMs);
  if (!kill) {
    running.command({ command: "stop", reason: "the session is over" });
    await settled(running.stopped);
  }
  running.close();
  exchange.stop();
  const session = kill ? undefined : await recording?.close();
  return { folder, log, session };
}

/** What of a recorded session its orders are judged by. */
export async function parityInputs({ folder, session }: RecordedSession): Promise<ParityInputs> {
  if (session === undefined) throw new Error("the session was killed");
  const [market] = await openSession(folder, session);
  if (market === undefined) throw new Error("the session has lost its market");
  return parityInputsOf(market);
}
