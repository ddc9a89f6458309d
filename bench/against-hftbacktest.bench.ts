import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { constantLatency } from "../src/backtest/venue/latency.js";
import type { Tape } from "../src/history/columns/tape.js";
import type { Bench } from "./bench.js";
import { pythonWithHftbacktest } from "./hftbacktest/installed.js";
import { type Script, type ScriptFill, scriptedQuotes } from "./hftbacktest/scripted-quotes.js";
import { TheirEngine } from "./hftbacktest/their-engine.js";
import { bookTape } from "./market-tape.js";
import { replayOnce } from "./replay-run.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 3;
const ROUND_SECONDS = 10;

/** The same quotes on the same market in hftbacktest's full engine: that of event-by-event replays, not its accelerated one. */
export const bench: Bench = {
  about: "rows of a recorded market replayed under scripted quotes, both clocks, latencies and queues, against hftbacktest doing the same",
  floor: 3,
  async run() {
    const python = pythonWithHftbacktest();
    const { tape, source } = bookTape();
    const script = scriptOf(tape);
    const folder = mkdtempSync(join(tmpdir(), "marketwright-bench-"));
    try {
      const theirs = await TheirEngine.start(python, join(folder, "events"), tape, script);
      try {
        const ourFills = scriptedQuotes(tape, script);
        const { fills: theirFills, trades } = await theirs.fills("roivector");
        const equal = equalFills(ourFills, theirFills);
        if (equal !== ourFills.length || equal !== theirFills.length || equal !== trades) {
          throw new Error(`not the same fills: ${ourFills.length} ours, ${trades} theirs (${theirFills.length} told), ${equal} equal`);
        }
        const ours = (): number => rowsASecond(tape, () => scriptedQuotes(tape, script));
        const reference = async (): Promise<number> => tape.rows / (await theirs.secondsARun("roivector", ROUND_SECONDS));
        const measured = await interleaved({ rounds: ROUNDS, ours, reference });
        return {
          ...measured,
          unit: "rows/s of processor time",
          referenceIs: `hftbacktest 2.4.4 with its faster book (dense arrays), compiled and warm, building it not counted; ${source}`,
          details: {
            "fills equal in side, price and exchange time": equal,
            "fills ours": ourFills.length,
            "fills theirs": theirFills.length,
            "rows/s of theirs with its hashed book": tape.rows / (await theirs.secondsARun("hashmap", ROUND_SECONDS)),
            "rows/s of our whole backtest (strategy, risk and executor)": rowsASecond(tape, () => replayOnce(tape)),
            rows: tape.rows,
          },
        };
      } finally {
        theirs.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Rows a second of all the processor's time that this process takes, its collector's included: two processes share no clock on a busy machine. */
function rowsASecond(tape: Tape, replay: () => void): number {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    replay();
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1_000_000;
    if (seconds >= ROUND_SECONDS) return (runs * tape.rows) / seconds;
  }
}

/** A second in, on a whole second; 40 ms each way, so that between two steps every answer is heard. */
function scriptOf(tape: Tape): Script {
  const startUs = Math.ceil((tape.localUs[0] as number) / 1_000_000) * 1_000_000 + 1_000_000;
  return { startUs, everyUs: 100_000, latency: constantLatency(40, 40), lots: 10 };
}

/** How many fills both have, order by order in the exchange's time. */
function equalFills(ours: readonly ScriptFill[], theirs: readonly ScriptFill[]): number {
  const keys = (fills: readonly ScriptFill[]): string[] =>
    fills.map(({ side, ticks, exchangeUs }) => `${exchangeUs} ${side} ${ticks}`).sort();
  const [mine, others] = [keys(ours), keys(theirs)];
  return mine.filter((key, at) => key === others[at]).length;
}
