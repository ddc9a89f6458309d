import type { BotConfig } from "#bot/config.js";
import type { Ms } from "#core/units.js";
import { HEDGE_VENUES } from "#hedge/listed-venues.js";
import { botConfig } from "../../test/simulation/bot-config.js";

/** A bot that is compared with others. */
export interface Arm {
  /** Names it in tables. */
  readonly name: string;
  readonly strategy: "ladder" | "pegged";
  /** Its position is laid off on a second exchange, which has the captured price now. */
  readonly hedge?: ArmHedge;
}

interface ArmHedge {
  /** Taker fee of the second exchange. */
  readonly takerFeeBps: number;
  /** True if the strategy adds the fee to its margin, and so quotes wider by as much. */
  readonly isInMargin: boolean;
}

/** The bots of docs/reference/reference-value.md. */
export const REFERENCE_ARMS: readonly Arm[] = [
  { name: "`ladder`", strategy: "ladder" },
  { name: "`pegged`", strategy: "pegged" },
];

/** Taker fees of large exchanges: for everybody, and for a desk with much volume. */
const RETAIL_FEE_BPS = 5;
const DESK_FEE_BPS = 2;

/** The bots of docs/reference/hedge-value.md; the others are compared with the first. */
export const HEDGE_ARMS: readonly Arm[] = [
  { name: "no hedge", strategy: "pegged" },
  ...[RETAIL_FEE_BPS, DESK_FEE_BPS].flatMap((takerFeeBps): readonly Arm[] => [
    {
      name: `hedge at ${takerFeeBps} bps`,
      strategy: "pegged",
      hedge: { takerFeeBps, isInMargin: false },
    },
    {
      name: `and ${takerFeeBps} bps wider`,
      strategy: "pegged",
      hedge: { takerFeeBps, isInMargin: true },
    },
  ]),
];

/** The market, by its id on both exchanges. */
export const MARKET = "btcusdc";
/** The source of the captured price in the bot's file. */
export const SOURCE = "capture";
/** The second exchange in the bot's file. */
export const HEDGE_VENUE = "second";

/** Maker rebate of the exchange, as its default is. */
const MAKER_FEE_BPS = -1;
const HALF_SPREAD_BPS = 2;
const COMMON = { levels: 1, sizeBase: 0.02, priceSkewBps: 3 };
const LONGEST_UNHEDGED_MS: Ms = 5_000;

/** The file of a bot. */
export function fileFor(arm: Arm): BotConfig {
  const { strategy, hedge } = arm;
  const isPegged = strategy === "pegged";
  return botConfig({
    ...(isPegged ? { references: { [SOURCE]: { module: "./capture.js" } } } : {}),
    ...(hedge === undefined ? {} : { hedgeVenues: { [HEDGE_VENUE]: VENUE_ENTRY } }),
    quotes: { timeInForce: "POST_ONLY", priceToleranceTicks: 5, sizeToleranceFraction: 0.3 },
    decide: { everyMs: 1_000, minGapMs: 250 },
    markets: {
      [MARKET]: {
        strategy,
        params: paramsFor(arm),
        ...(isPegged ? { reference: { from: [SOURCE] } } : {}),
        ...(hedge === undefined ? {} : { hedge: MARKET_HEDGE }),
        limits: { maxPositionBase: "0.5", maxOrderBase: "0.05", maxOpenOrders: 12 },
      },
    },
  });
}

/** Required in a file; the venue itself is handed to the bot. */
const VENUE_ENTRY = { ccxt: HEDGE_VENUES[0], keyEnv: "HEDGE_KEY", secretEnv: "HEDGE_SECRET" };

/** Every fill is taken on the second exchange at once. */
const MARKET_HEDGE = {
  venue: HEDGE_VENUE,
  symbol: MARKET,
  style: "taker",
  maxUnhedgedBase: "0.001",
  maxUnhedgedMs: LONGEST_UNHEDGED_MS,
};

/**
 * The same distance from the fair price, size and skew for every strategy. The margin of `pegged`
 * is its edge and the maker fee, and the hedge's fee if it is in the margin.
 */
function paramsFor({ strategy, hedge }: Arm): Record<string, unknown> {
  if (strategy === "ladder") return { ...COMMON, halfSpreadBps: HALF_SPREAD_BPS };
  return {
    ...COMMON,
    edgeBps: HALF_SPREAD_BPS - MAKER_FEE_BPS,
    makerFeeBps: MAKER_FEE_BPS,
    ...(hedge?.isInMargin === true ? { hedge: { takerFeeBps: hedge.takerFeeBps } } : {}),
  };
}
