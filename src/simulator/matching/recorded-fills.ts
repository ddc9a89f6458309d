import { type Lots, oppositeSide, type Side, type Ticks } from "../../core/units.js";
import type { RecordedMessage, RecordedPrint } from "../flow/flow-market.js";
import type { BookOrder } from "./book-order.js";
import { isBetter, type MatchingEngine } from "./matching-engine.js";

/**
 * Called when the recording filled a participant's resting order; its `openLots` are already
 * reduced.
 */
type OnFill = (maker: BookOrder, ticks: Ticks, lots: Lots) => void;

/** Called for a price whose published amount the recording changed. */
type OnLevel = (side: Side, ticks: Ticks) => void;

/**
 * Applies a recorded message as a whole and only then tests it against participants. A resting
 * order fills in full, at its own price, when the best recorded opposite price has reached it
 * (docs/ideas/order-flow.md#replay).
 */
export function applyRecorded(
  engine: MatchingEngine,
  message: RecordedMessage,
  onLevel: OnLevel,
  onFill: OnFill,
): void {
  const depth = engine.recorded;
  if (depth === null) {
    return;
  }
  const resting = restingLevels(engine);
  const change = depth.apply(message);
  for (const { side, ticks, shownLots } of resting) {
    const lots = depth.lotsAt(side, ticks);
    if (lots !== shownLots) {
      engine.requeue(side, ticks, shownLots, lots);
    }
  }
  for (let place = 0; place < change.bids.length; place += 2) {
    onLevel("BUY", change.bids[place]);
  }
  for (let place = 0; place < change.asks.length; place += 2) {
    onLevel("SELL", change.asks[place]);
  }
  for (const side of ["BUY", "SELL"] as const) {
    fillReached(engine, side, depth.best(oppositeSide(side)), true, onFill);
  }
}

/**
 * Tests a recorded trade against participants' resting orders. Those with a better price fill in
 * full, those at its price by the queue model. Recorded levels are not swept: the recording's own
 * messages change them.
 * @returns the lots that participants' orders at exactly its price took of it.
 */
export function printRecorded(engine: MatchingEngine, print: RecordedPrint, onFill: OnFill): Lots {
  const side = oppositeSide(print.aggressor);
  fillReached(engine, side, print.ticks, false, onFill);
  let takenLots = 0;
  let order = engine.ladder(side).levelAt(print.ticks)?.head ?? null;
  while (order !== null && takenLots < print.lots) {
    const next = order.next;
    if (order.queue !== null) {
      // Lots that an earlier order took of the trade never reached the queue behind it.
      const place = engine.queueModel.onTrade(order.queue, print.lots - takenLots);
      const lots = Math.min(engine.queueModel.executableLots(place), order.openLots);
      order.queue = engine.queueModel.onTaken(place);
      takenLots += lots;
      if (lots > 0) {
        engine.ladder(side).reduce(order, lots);
        onFill(order, print.ticks, lots);
      }
    }
    order = next;
  }
  return takenLots;
}

/**
 * Fills every resting order of `side` whose price the opposite price has passed, or with `touching`
 * reached.
 */
function fillReached(
  engine: MatchingEngine,
  side: Side,
  opposite: Ticks | undefined,
  touching: boolean,
  onFill: OnFill,
): void {
  if (opposite === undefined) {
    return;
  }
  const ladder = engine.ladder(side);
  for (let level = ladder.best(); level !== undefined; level = ladder.best()) {
    const order = level.head;
    if (
      order === null ||
      !(isBetter(side, level.ticks, opposite) || (touching && level.ticks === opposite))
    ) {
      return;
    }
    const lots = order.openLots;
    ladder.reduce(order, lots);
    onFill(order, level.ticks, lots);
  }
}

function restingLevels(engine: MatchingEngine): { side: Side; ticks: Ticks; shownLots: Lots }[] {
  const levels: { side: Side; ticks: Ticks; shownLots: Lots }[] = [];
  for (const side of ["BUY", "SELL"] as const) {
    engine
      .ladder(side)
      .forEachLevel(
        ({ ticks }) =>
          levels.push({ side, ticks, shownLots: engine.recorded?.lotsAt(side, ticks) ?? 0 }) > 0,
      );
  }
  return levels;
}
