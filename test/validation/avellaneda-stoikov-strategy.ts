import { Subject } from "rxjs";
import { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import type { MarketView } from "#market/view.js";
import { avellanedaStoikov } from "#strategies/avellaneda-stoikov.js";
import type { QuotesIntent } from "#strategies/intent.js";
import { testContext, testView } from "../strategies/fixtures.js";
import {
  DT,
  FILL_DECAY,
  fillChance,
  type Paths,
  SIGMA,
  STEPS,
} from "./avellaneda-stoikov-simulation.js";

/**
 * A grid that is fine against the spread, and prices at which a basis point is 100 and does not
 * change with the mid.
 */
const instrument = new Instrument({
  marketId: "paper",
  tickSize: "0.00001",
  stepSize: "1",
  creditDecimals: 6,
  paperDecimals: 18,
});
const TICK = 0.00001;
const START = 1_000_000;
const BPS = START / 10_000;
/** No touch, and no position limit, is ever met. */
const FAR_TICKS = 100 / TICK;
const LIMIT_LOTS = 1_000_000;
const STEP_MS = DT * 1000;

/**
 * The paper's simulation of the inventory strategy with the built-in strategy in it, as a bot has
 * it: parameters by their names, views in, intents out. Its horizon repeats, so that each path
 * begins with all of it.
 */
export function simulateStrategy(gamma: number, paths: number, seed: string): Paths {
  const random = seededRandom(seed);
  const views = new Subject<MarketView>();
  let quotes: QuotesIntent | undefined;
  const bound = avellanedaStoikov.bind({
    riskAversion: gamma * BPS,
    horizonMs: STEPS * STEP_MS,
    horizon: "repeating",
    sizeBase: 1,
    sigma: { sigmaTicks: SIGMA / TICK },
    kPerBps: FILL_DECAY * BPS,
  });
  const subscription = views
    .pipe(bound(testContext({ marketId: "paper", instrument })))
    .subscribe((intent) => {
      if (intent.kind === "quotes") quotes = intent;
    });
  const profit = new Float64Array(paths);
  const inventory = new Float64Array(paths);
  const move = SIGMA * Math.sqrt(DT);
  let step = 0;
  for (let path = 0; path < paths; path++) {
    let mid = START;
    let held = 0;
    let cash = 0;
    for (let left = STEPS; left > 0; left--, step++) {
      const midTicks = mid / TICK;
      views.next(
        testView({
          marketId: "paper",
          instrument,
          sequence: step + 1,
          timeMs: step * STEP_MS,
          bid: midTicks - FAR_TICKS,
          ask: midTicks + FAR_TICKS,
          positionLots: held,
          maxPositionLots: LIMIT_LOTS,
        }),
      );
      const bid = quotes?.quotes.find(({ side }) => side === "BUY");
      const ask = quotes?.quotes.find(({ side }) => side === "SELL");
      if (bid === undefined || ask === undefined)
        throw new Error("the strategy left a side without a quote");
      const [bidPrice, askPrice] = [bid.ticks * TICK, ask.ticks * TICK];
      const sold = random.uniform() < fillChance(askPrice - mid);
      const bought = random.uniform() < fillChance(mid - bidPrice);
      if (sold) {
        held--;
        cash += askPrice - START;
      }
      if (bought) {
        held++;
        cash -= bidPrice - START;
      }
      mid += random.uniform() < 0.5 ? move : -move;
    }
    profit[path] = cash + held * (mid - START);
    inventory[path] = held;
  }
  subscription.unsubscribe();
  return { profit, inventory };
}
