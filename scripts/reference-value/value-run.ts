import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { BotRig } from "#simulation/bot-rig.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import { keyedScheme } from "#simulation/keyed-scheme.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { SYNTHETIC_PRESETS, type SyntheticParams } from "#simulator/synthetic-params.js";
import type { CapturedPrice } from "./captured-price.js";
import { startHedgeExchange } from "./hedge-exchange.js";
import { LaggingFlow } from "./lagging-flow.js";
import { type LegFill, type NetFigures, readFills, toNetFigures } from "./net-figures.js";
import { type Arm, fileFor, HEDGE_VENUE, MARKET, SOURCE } from "./value-arms.js";

/** The informed takers: those of the fitted flow, or some who take all that is stale. */
type Takers = "fitted" | "quick";

/** The exchange's other traders. */
export interface Market {
  readonly name: string;
  /** Time by which the makers know the captured price later than the informed takers. */
  readonly lagMs: Ms;
  readonly takers: Takers;
}

/** The markets of the pages, each a table. */
export const MARKETS: readonly Market[] = [
  { name: "makers not late", lagMs: 0, takers: "fitted" },
  { name: "makers 1 s late", lagMs: 1_000, takers: "fitted" },
  { name: "makers 1 s late, quick takers", lagMs: 1_000, takers: "quick" },
];

/** The market of the pages' tables of single seeds. */
export const SEEDS_MARKET = "makers 1 s late, quick takers";

/** Ten looks a second in place of one, and orders of 20,000 USDC in place of 800. */
const QUICK_TAKERS = {
  ...SYNTHETIC_PRESETS.fitted.informed,
  looksPerSecond: 10,
  orderQuote: 20_000,
};

/** Horizons of the markouts. */
const MARKOUT_MS = { markout1s: 1_000, markout10s: 10_000 } as const satisfies Record<string, Ms>;
export const LONGEST_MARKOUT_MS: Ms = MARKOUT_MS.markout10s;

/** The outcome of one bot in one seed. Money is in quote units, markouts in basis points. */
export interface ValueRun extends NetFigures {
  /** By the bot's own account: the exchange's mark, without a hedge. */
  readonly profit: number;
  readonly spread: number;
  readonly inventory: number;
  readonly fees: number;
  /** All other parts: the mark against the mid, funding. */
  readonly other: number;
  /** Mean over the fills' amounts, against the captured price; NaN without a fill. */
  readonly markout1s: number;
  readonly markout10s: number;
  readonly fills: number;
  readonly volumeQuote: number;
  /** Largest position without its sign, in base units. */
  readonly largestBase: number;
}

/** One bot on one seed. */
interface ValueRunOptions {
  readonly arm: Arm;
  readonly seed: number;
  readonly market: Market;
  readonly price: CapturedPrice;
  /** Market time; default {@link RUN_MS}. */
  readonly runMs?: Ms;
}

const START_MS: Ms = 1_760_000_000_000;
const PRIVATE_KEY = `0x${"42".repeat(32)}` as const;
/** The captured price reaches the bot this much later, at most this often. */
const LATENCY_MS: Ms = 50;
const GAP_MS: Ms = 50;
/** Market time of a run. */
export const RUN_MS: Ms = 120_000;

/**
 * Runs one bot on one seed of the lagging exchange, in virtual time. The same options give the
 * same run.
 */
export async function runValue({
  arm,
  seed,
  market: { lagMs, takers },
  price,
  runMs = RUN_MS,
}: ValueRunOptions): Promise<ValueRun> {
  const clock = new VirtualClock(START_MS);
  const scheme = keyedScheme();
  const exchange = new EmbeddedExchange(
    parseExchangeConfig({
      seed,
      markets: { [MARKET]: { baseAsset: "BTC", tickSize: "0.1", stepSize: "0.001" } },
    }),
    { clock, random: seededRandom(`exchange ${seed}`) },
    {
      scheme,
      createFlow: () =>
        new LaggingFlow({
          params: paramsFor(takers),
          seed: `reference value ${seed}`,
          price,
          lagMs,
        }),
    },
  );
  exchange.start();
  const hedged =
    arm.hedge &&
    startHedgeExchange({ clock, scheme, seed, price, takerFeeBps: arm.hedge.takerFeeBps });
  const rig = new BotRig({
    door: exchange,
    transport: new FaultyNetwork(
      exchange,
      clock,
      new FaultSource([], seededRandom(`network ${seed}`)),
      "10.0.0.1",
    ),
    clock,
    random: seededRandom(`bot ${seed}`),
    scheme,
    privateKey: PRIVATE_KEY,
    config: fileFor(arm),
    hedgeVenues: new Map(hedged === undefined ? [] : [[HEDGE_VENUE, hedged.venue]]),
  });
  exchange.register(rig.address);
  rig.start();
  if (arm.strategy === "pegged") feed(rig, price, clock);
  await clock.runFor(runMs);
  const fills = readFills(exchange, rig.address, MARKET);
  const hedgeFills = hedged === undefined ? [] : readFills(hedged.exchange, hedged.address, MARKET);
  const run = {
    ...readRun(rig, fills, price),
    ...toNetFigures(fills, hedgeFills, price, START_MS, runMs),
  };
  rig.kill();
  exchange.stop();
  hedged?.exchange.stop();
  return run;
}

function paramsFor(takers: Takers): SyntheticParams {
  const { fitted } = SYNTHETIC_PRESETS;
  return takers === "fitted" ? fitted : { ...fitted, informed: QUICK_TAKERS };
}

function readRun(
  rig: BotRig,
  fills: readonly LegFill[],
  price: CapturedPrice,
): Omit<ValueRun, keyof NetFigures> {
  const parts = rig.bot.context.account.profit(MARKET);
  const money = (scaled: bigint) => Number(scaled) / 10 ** parts.decimals;
  const weighted: Record<keyof typeof MARKOUT_MS, number> = { markout1s: 0, markout10s: 0 };
  let [base, volumeQuote, positionBase, largestBase] = [0, 0, 0, 0];
  for (const fill of fills) {
    for (const name of ["markout1s", "markout10s"] as const) {
      const later = price.midAt(fill.timeMs - START_MS + MARKOUT_MS[name]);
      weighted[name] += (10_000 * fill.base * fill.sign * (later - fill.price)) / fill.price;
    }
    base += fill.base;
    volumeQuote += fill.price * fill.base;
    positionBase += fill.sign * fill.base;
    largestBase = Math.max(largestBase, Math.abs(positionBase));
  }
  const [profit, spread, inventory, fees] = [
    parts.total,
    parts.spread,
    parts.inventory,
    parts.fees,
  ].map(money) as [number, number, number, number];
  return {
    profit,
    spread,
    inventory,
    fees,
    other: profit - spread - inventory - fees,
    markout1s: weighted.markout1s / base,
    markout10s: weighted.markout10s / base,
    fills: fills.length,
    volumeQuote,
    largestBase,
  };
}

/** Sends the captured price as a source does: the newest touch, if it has changed. */
function feed(rig: BotRig, price: CapturedPrice, clock: VirtualClock): void {
  const send = (): void => {
    const { bid, ask } = price.touchAt(clock.monotonicMs() - LATENCY_MS);
    const update = { type: "price", source: SOURCE, bid, ask, heldMs: 0 } as const;
    rig.bot.accept({ kind: "reference", update });
    clock.setTimer(GAP_MS, send);
  };
  send();
}
