import type { Bench } from "./bench.js";
import { scanColumns } from "./column-scan.js";
import { effort } from "./effort.js";
import { bookTape } from "./market-tape.js";
import { replayOnce } from "./replay-run.js";
import { interleaved, ratePerSecond } from "./rounds.js";

const ROUNDS = effort(5, 1);
const ROUND_MS = effort(5000, 1);

/**
 * A backtest as a user runs it, without its report: the real strategy, risk and executor on both
 * clocks of a recorded market.
 */
export const bench: Bench = {
  about:
    "level changes through a whole replay (two clocks, latencies, queues, decisions every 100 ms by strategy, risk and executor)",
  floor: 1 / 50,
  async run() {
    const { tape, source } = bookTape();
    let last = replayOnce(tape);
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () =>
        ratePerSecond(
          () => {
            last = replayOnce(tape);
          },
          tape.rows,
          ROUND_MS,
        ),
      reference: () => ratePerSecond(() => scanColumns(tape), tape.rows, ROUND_MS),
    });
    const { decisions, actions, fills } = last;
    return {
      ...measured,
      unit: "rows/s",
      referenceIs: `a scan of the same columns; ${source}`,
      details: {
        rows: tape.rows,
        messages: tape.messages,
        "intents a run": decisions,
        "actions a run": actions,
        "fills a run": fills,
      },
    };
  },
};
