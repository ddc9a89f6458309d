import type { BotConfig } from "#bot/config.js";
import { seededRandom } from "#core/seeded-random.js";
import { type Ms, sideSign } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { SYNTHETIC_PRESETS, type SyntheticParams } from "#simulator/synthetic-params.js";
import { BotRig, botConfig } from "../../test/simulation/bot-rig.js";
import { FaultSource } from "../../test/simulation/faults.js";
import { FaultyNetwork } from "../../test/simulation/faulty-network.js";
import { keyedScheme } from "../../test/simulation/keyed-scheme.js";
import type { CapturedPrice } from "./captured-price.js";
import { LaggingFlow } from "./lagging-flow.js";

/** The strategies that are compared. */
export const ARMS = ["ladder", "pegged"] as const;
export type Arm = (typeof ARMS)[number];

/** The informed takers: those of the fitted flow, or some who take all that is stale. */
type Takers = "fitted" | "quick";

/** The exchange's other traders. */
export interface Market {
  readonly name: string;
  /** Time by which the makers know the captured price later than the informed takers. */
  readonly lagMs: Ms;
  readonly takers: Takers;
}

/** The markets of the page, each a table. */
export const MARKETS: readonly Market[] = [
  { name: "makers not late", lagMs: 0, takers: "fitted" },
  { name: "makers 1 s late", lagMs: 1_000, takers: "fitted" },
  { name: "makers 1 s late, quick takers", lagMs: 1_000, takers: "quick" },
];

/** The market of the page's table of single seeds. */
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
export interface ValueRun {
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
}

const MARKET = "btcusdc";
const START_MS: Ms = 1_760_000_000_000;
const PRIVATE_KEY = `0x${"42".repeat(32)}` as const;
const SOURCE = "capture";
/** The captured price reaches the bot this much later, at most this often. */
const LATENCY_MS: Ms = 50;
const GAP_MS: Ms = 50;
/** Market time of a run. */
export const RUN_MS: Ms = 120_000;

/** Maker rebate of the exchange, as its default is. */
const MAKER_FEE_BPS = -1;
const HALF_SPREAD_BPS = 2;
const COMMON = { levels: 1, sizeBase: 0.02, priceSkewBps: 3 };

/**
 * The parameters by strategy: the same distance from the fair price, size and skew. The margin of
 * `pegged` is its edge and the maker fee.
 */
const PARAMS: Readonly<Record<Arm, Record<string, unknown>>> = {
  ladder: { ...COMMON, halfSpreadBps: HALF_SPREAD_BPS },
  pegged: { ...COMMON, edgeBps: HALF_SPREAD_BPS - MAKER_FEE_BPS, makerFeeBps: MAKER_FEE_BPS },
};

/**
 * Runs one bot on one seed of the lagging exchange, in virtual time. The same options give the
 * same run.
 */
export async function runValue({
  arm,
  seed,
  market: { lagMs, takers },
  price,
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
  });
  exchange.register(rig.address);
  rig.start();
  if (arm === "pegged") feed(rig, price, clock);
  await clock.runFor(RUN_MS);
  const run = readRun(rig, exchange, price);
  rig.kill();
  exchange.stop();
  return run;
}

function paramsFor(takers: Takers): SyntheticParams {
  const { fitted } = SYNTHETIC_PRESETS;
  return takers === "fitted" ? fitted : { ...fitted, informed: QUICK_TAKERS };
}

function readRun(rig: BotRig, exchange: EmbeddedExchange, price: CapturedPrice): ValueRun {
  const { account } = rig.bot.context;
  const parts = account.profit(MARKET);
  const money = (scaled: bigint) => Number(scaled) / 10 ** parts.decimals;
  const { instrument } = exchange.market(MARKET);
  const records = exchange.account(rig.address)?.markets.get(MARKET)?.trades;
  const trades = [...(records?.page({ limit: Number.MAX_SAFE_INTEGER }) ?? [])];
  const weighted: Record<keyof typeof MARKOUT_MS, number> = { markout1s: 0, markout10s: 0 };
  let [lots, volumeQuote, positionLots, largestLots] = [0, 0, 0, 0];
  for (const { trade, isBuyer } of trades) {
    const paid = trade.ticks * instrument.tickQuote;
    const sign = sideSign(isBuyer ? "BUY" : "SELL");
    for (const name of ["markout1s", "markout10s"] as const) {
      const later = price.midAt(trade.timeMs - START_MS + MARKOUT_MS[name]);
      weighted[name] += (10_000 * trade.lots * sign * (later - paid)) / paid;
    }
    lots += trade.lots;
    volumeQuote += paid * trade.lots * instrument.lotBase;
    positionLots += sign * trade.lots;
    largestLots = Math.max(largestLots, Math.abs(positionLots));
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
    markout1s: weighted.markout1s / lots,
    markout10s: weighted.markout10s / lots,
    fills: trades.length,
    volumeQuote,
    largestBase: largestLots * instrument.lotBase,
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

function fileFor(arm: Arm): BotConfig {
  const isPegged = arm === "pegged";
  return botConfig({
    ...(isPegged ? { references: { [SOURCE]: { module: "./capture.js" } } } : {}),
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5, sizeToleranceFraction: 0.3 },
    decide: { everyMs: 1_000, minGapMs: 250 },
    markets: {
      [MARKET]: {
        strategy: arm,
        params: PARAMS[arm],
        ...(isPegged ? { reference: { from: [SOURCE] } } : {}),
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.05", maxOpenOrders: 12 },
      },
    },
  });
}
