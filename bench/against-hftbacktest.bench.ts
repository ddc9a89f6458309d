import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "./bench.js";
import { compareFills } from "./hftbacktest/compare-fills.js";
import { pythonWithHftbacktest } from "./hftbacktest/installed.js";
import { OurEngine } from "./hftbacktest/our-engine.js";
import { scriptOn } from "./hftbacktest/script.js";
import type { ScriptFill } from "./hftbacktest/scripted-quotes.js";
import { TheirEngine } from "./hftbacktest/their-engine.js";
import { bookTape } from "./market-tape.js";
import { interleaved } from "./rounds.js";

const ROUNDS = 3;
const ROUND_SECONDS = 10;

/**
 * The same quotes on the same market in hftbacktest's full engine, which replays event by event,
 * not in its accelerated one.
 */
export const bench: Bench = {
  about:
    "rows of a recorded market replayed under scripted quotes, both clocks, latencies and queues, against hftbacktest doing the same",
  floor: 4,
  async run() {
    const python = pythonWithHftbacktest();
    const { tape, source } = bookTape();
    const folder = mkdtempSync(join(tmpdir(), "marketwright-bench-"));
    try {
      const theirs = await TheirEngine.start(python, join(folder, "events"), tape, scriptOn(tape));
      try {
        const ours = await OurEngine.start();
        try {
          const ourFills = await ours.fills();
          const { fills: theirFills, trades } = await theirs.fills("roivector");
          const { equal, onlyOurs, onlyTheirs } = compareFills(ourFills, theirFills);
          if (onlyOurs.length > 0 || onlyTheirs.length > 0 || equal !== trades) {
            const counts = `${ourFills.length} ours, ${theirFills.length} theirs (its account counts ${trades}), ${equal} equal`;
            throw new Error(
              `not the same fills: ${counts}; first only ours: ${named(onlyOurs)}, first only theirs: ${named(onlyTheirs)}`,
            );
          }
          const measured = await interleaved({
            rounds: ROUNDS,
            ours: async () => tape.rows / (await ours.secondsARun(ROUND_SECONDS)),
            reference: async () =>
              tape.rows / (await theirs.secondsARun("roivector", ROUND_SECONDS)),
          });
          return {
            ...measured,
            unit: "rows/s of processor time",
            referenceIs: `hftbacktest 2.4.4 with its faster book (dense arrays), compiled and warm, building it not counted; ${source}`,
            details: {
              "fills equal in side, price and exchange time": equal,
              "fills ours": ourFills.length,
              "fills theirs": theirFills.length,
              "rows/s of theirs with its hashed book":
                tape.rows / (await theirs.secondsARun("hashmap", ROUND_SECONDS)),
              rows: tape.rows,
            },
          };
        } finally {
          ours.close();
        }
      } finally {
        theirs.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function named([first]: readonly ScriptFill[]): string {
  return first === undefined
    ? "none"
    : `${first.side} at ${first.ticks} ticks at ${first.exchangeUs} us`;
}
