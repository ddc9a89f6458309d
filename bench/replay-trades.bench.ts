import type { MatchListener, ReplayOrder } from "#backtest/matcher.js";
import { TradeMatcher } from "#backtest/trade-matcher.js";
import { type Side, sideSign, type Ticks } from "#core/units.js";
import type { Tape } from "#history/tape.js";
import type { Bench } from "./bench.js";
import { scanColumns } from "./column-scan.js";
import { effort } from "./effort.js";
import { firstOf, tradeTape } from "./market-tape.js";
import { type ReplayBenchResult, replayOnce } from "./replay-run.js";
import { interleaved, median, ratePerSecond } from "./rounds.js";

const ROUNDS = effort(7, 1);
const ROUND_MS = effort(1000, 1);
const ORDERS_A_SIDE = 10;
const LOTS = 1000;
const HOUR_US = effort(3_600_000_000, 60_000_000);

/**
 * A day of trades against a ladder of resting orders: each filled order is replaced one step behind
 * the last.
 */
export const bench: Bench = {
  about: "trades of a day matched against ten resting orders a side, without decisions",
  floor: 0.15,
  async run() {
    const { tape, source } = tradeTape();
    const rate = (batch: () => void): number => ratePerSecond(batch, tape.messages, ROUND_MS);
    const measured = await interleaved({
      rounds: ROUNDS,
      ours: () => rate(() => replay(tape)),
      reference: () => rate(() => scanColumns(tape)),
    });
    return {
      ...measured,
      unit: "trades/s",
      referenceIs: `a scan of the same columns; ${source}; 30 million trades/s is what is asked for`,
      details: { trades: tape.messages, fills: replay(tape), ...withDecisions(tape) },
    };
  },
};

/**
 * The second figure: the first hour through a whole run, with a decision every 100 ms, by the
 * process's own CPU time. The first run compiles its code, a cost that a longer history pays once;
 * both are reported.
 */
function withDecisions(day: Tape): Record<string, number> {
  const tape = firstOf(day, HOUR_US);
  let last: ReplayBenchResult | undefined;
  const rate = (): number => {
    const before = process.cpuUsage();
    last = replayOnce(tape, "trades");
    const { user, system } = process.cpuUsage(before);
    return Math.round(tape.messages / ((user + system) / 1e6));
  };
  const first = rate();
  const later = median(Array.from({ length: ROUNDS }, rate));
  const { decisions, actions, fills } = last as ReplayBenchResult;
  return {
    "trades/s of CPU with decisions, first run": first,
    "trades/s of CPU with decisions, later runs": later,
    "intents with decisions": decisions,
    "actions with decisions": actions,
    "fills with decisions": fills,
  };
}

/** @returns the number of fills. */
function replay(tape: Tape): number {
  const first = Math.abs(tape.signedTicks[0] as number);
  const step = Math.max(1, Math.round(first / 5000));
  const filled: ReplayOrder[] = [];
  const listener: MatchListener = {
    accepted: () => {},
    filled: (order) => filled.push(order),
    ended: () => {},
  };
  const matcher = new TradeMatcher({
    tape,
    listener,
    slippageTicks: 0,
    queueAheadLots: 100 * LOTS,
  });
  const next = { BUY: first - step, SELL: first + step };
  let id = 0;
  const put = (side: Side, atUs: number): void => {
    matcher.place(order(id++, side, next[side]), atUs);
    next[side] -= sideSign(side) * step;
  };
  const startUs = (tape.exchangeUs[0] as number) - 1;
  for (let at = 0; at < ORDERS_A_SIDE; at++)
    for (const side of ["BUY", "SELL"] as const) put(side, startUs);
  let fills = 0;
  while (matcher.nextUs < Number.POSITIVE_INFINITY) {
    const atUs = matcher.advance(Number.POSITIVE_INFINITY, true);
    fills += filled.length;
    if (matcher.nextUs > atUs)
      for (const { side, openLots } of filled.splice(0)) if (openLots === 0) put(side, atUs);
  }
  return fills;
}

function order(id: number, side: Side, ticks: Ticks): ReplayOrder {
  return {
    id,
    side,
    type: "LIMIT",
    ticks,
    lots: LOTS,
    timeInForce: "GTC",
    expirationUs: Number.POSITIVE_INFINITY,
    openLots: LOTS,
  };
}
