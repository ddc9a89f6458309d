import { z } from "zod";
import { type ShockParams, shocksShape } from "./agents/shocks.js";

const rate = z.number().min(0).max(1_000);
const bps = z.number().min(0).max(1_000);
const notional = z.number().positive().max(1e12);
const sigma = z.number().min(0).max(4);

const fundamentalShape = z.strictObject({
  /**
   * Standard deviation of the log price over one second, in basis points (recorded BTC perpetuals:
   * 0.3 to 1.4).
   */
  volatilityBpsPerSqrtSecond: z.number().min(0).max(100),
  /**
   * Standard deviation of the logarithm of the volatility, so that calm and busy times alternate; 0
   * for a constant volatility.
   */
  volatilitySigma: z.number().min(0).max(2),
  /** The half-life of a deviation of the volatility. */
  volatilityHalfLifeMs: z.int().min(250),
  /**
   * The half-life of a deviation from the start price, which keeps a long run near its start; 0 is
   * a pure random walk.
   */
  reversionHalfLifeMs: z.int().min(0),
  /** Jumps per hour (Merton 1976); 0 for none. */
  jumpsPerHour: z.number().min(0).max(3_600),
  /** Standard deviation of one jump, in basis points. */
  jumpBps: bps,
  /**
   * The bound of the mark's premium over the fundamental, plus or minus, in basis points; 0 sets
   * the mark to the fundamental.
   */
  premiumBoundBps: bps,
  /**
   * The distance of the agents' prices above the index, which funding by the premium charges;
   * negative: below.
   */
  basisBps: z.number().min(-1000).max(1000),
});

const providersShape = z.strictObject({
  count: z.int().min(1).max(20),
  /** Levels of each agent on each side. */
  levels: z.int().min(1).max(100),
  /**
   * Distance of the tightest agent's first level from its fair value; the n-th agent's is n times
   * as large.
   */
  halfSpreadBps: bps.positive(),
  /** Distance between the first two levels of an agent; it grows by a tenth for each level. */
  spacingBps: bps.positive(),
  /** Median quote notional of a first level; the median grows by a fifth for each level. */
  levelQuote: notional,
  /** Standard deviation of a size's logarithm. */
  sizeSigma: sigma,
  /** Standard deviation of an agent's error about the fundamental. */
  valueErrorBps: bps,
  /** Checks per second of one agent's own ladder. */
  looksPerSecond: rate.positive(),
  /** The maximum number of orders that one check cancels and replaces. */
  repairs: z.int().min(1).max(100),
});

const touchShape = z.strictObject({
  /** Orders on each side, one tick apart; 0: no such agent. */
  levels: z.int().min(0).max(100),
  /** Median quote notional of an order. */
  levelQuote: notional,
  /** Standard deviation of a size's logarithm. */
  sizeSigma: sigma,
  /** The ladder moves once the fundamental has left its middle by more than this. */
  toleranceBps: bps,
  looksPerSecond: rate.positive(),
});

const noiseShape = z.strictObject({
  arrivalsPerSecond: rate,
  /** Median quote notional of one order. */
  orderQuote: notional,
  sizeSigma: sigma,
});

const momentumShape = z.strictObject({
  looksPerSecond: rate,
  /** A burst begins when the last trade moved by more than this since the previous check. */
  thresholdBps: bps,
  /** Mean number of orders in a burst (geometric). */
  burstOrders: z.number().min(1).max(1_000),
  burstOrdersPerSecond: rate.positive(),
  orderQuote: notional,
  sizeSigma: sigma,
});

const informedShape = z.strictObject({
  looksPerSecond: rate,
  /** Trades only if the touch is wrong by more than this. */
  edgeBps: bps,
  orderQuote: notional,
  sizeSigma: sigma,
});

/** A user's changes of a preset, section by section. */
export const syntheticOverridesShape = z.strictObject({
  fundamental: fundamentalShape.partial().optional(),
  providers: providersShape.partial().optional(),
  touch: touchShape.partial().optional(),
  noise: noiseShape.partial().optional(),
  momentum: momentumShape.partial().optional(),
  informed: informedShape.partial().optional(),
  /** Jumps of the fundamental price; none when left out. */
  shocks: shocksShape.optional(),
  /** The interval of references (index and mark) of the market. */
  referenceEveryMs: z.int().min(50).max(60_000).optional(),
});

/** The type of {@link syntheticOverridesShape}. */
export type SyntheticOverrides = z.output<typeof syntheticOverridesShape>;
/** Parameters of the latent price of a synthetic market. Basis points are of the price. */
export type FundamentalParams = z.output<typeof fundamentalShape>;
/** The background liquidity providers. */
export type ProviderParams = z.output<typeof providersShape>;
/** The agent that keeps the spread narrow. */
export type TouchParams = z.output<typeof touchShape>;
/** Takers without a view. */
export type NoiseParams = z.output<typeof noiseShape>;
/** Takers who follow a move with a burst of orders in its direction. */
export type MomentumParams = z.output<typeof momentumShape>;
/** Takers who know the fundamental. */
export type InformedParams = z.output<typeof informedShape>;

/** All parameters of a synthetic market. */
export interface SyntheticParams {
  readonly fundamental: FundamentalParams;
  readonly providers: ProviderParams;
  readonly touch: TouchParams;
  readonly noise: NoiseParams;
  readonly momentum: MomentumParams;
  readonly informed: InformedParams;
  /** null for none. */
  readonly shocks: ShockParams | null;
  readonly referenceEveryMs: number;
}

/**
 * The default market: busy enough that quotes within a few basis points of the mid trade on both
 * sides within a minute.
 */
const LIVELY: SyntheticParams = {
  fundamental: {
    volatilityBpsPerSqrtSecond: 0.7,
    volatilitySigma: 0,
    volatilityHalfLifeMs: 60_000,
    reversionHalfLifeMs: 1_800_000,
    jumpsPerHour: 0,
    jumpBps: 10,
    premiumBoundBps: 3,
    basisBps: 0,
  },
  providers: {
    count: 3,
    levels: 10,
    halfSpreadBps: 1.2,
    spacingBps: 0.8,
    levelQuote: 3_500,
    sizeSigma: 0.7,
    valueErrorBps: 0.2,
    looksPerSecond: 2,
    repairs: 3,
  },
  touch: { levels: 0, levelQuote: 3_500, sizeSigma: 0.7, toleranceBps: 0.2, looksPerSecond: 8 },
  noise: { arrivalsPerSecond: 2, orderQuote: 5_000, sizeSigma: 1.5 },
  momentum: {
    looksPerSecond: 0.2,
    thresholdBps: 1,
    burstOrders: 4,
    burstOrdersPerSecond: 4,
    orderQuote: 3_000,
    sizeSigma: 1,
  },
  informed: { looksPerSecond: 1, edgeBps: 0.3, orderQuote: 8_000, sizeSigma: 0.8 },
  shocks: null,
  referenceEveryMs: 1_000,
};

/** About four events a second in all, so that a simulated hour costs little. */
const QUIET: SyntheticParams = {
  ...LIVELY,
  fundamental: { ...LIVELY.fundamental, volatilityBpsPerSqrtSecond: 0.5 },
  providers: {
    ...LIVELY.providers,
    count: 2,
    halfSpreadBps: 1.5,
    spacingBps: 1.2,
    levelQuote: 6_000,
    looksPerSecond: 0.6,
    repairs: 2,
  },
  noise: { ...LIVELY.noise, arrivalsPerSecond: 0.5 },
  momentum: { ...LIVELY.momentum, looksPerSecond: 0.05, burstOrdersPerSecond: 2 },
  informed: { ...LIVELY.informed, looksPerSecond: 0.3 },
  referenceEveryMs: 2_000,
};

/**
 * Fitted to the recorded BTC perpetuals of 2023 and 2024 in the figures of `npm run flow-report`: a
 * spread of one tick, sizes of levels and of trades, calm and busy seconds in clusters, and book
 * changes per trade.
 */
const FITTED: SyntheticParams = {
  ...LIVELY,
  fundamental: { ...LIVELY.fundamental, volatilitySigma: 0.15, volatilityHalfLifeMs: 30_000 },
  providers: { ...LIVELY.providers, count: 2, levelQuote: 2_200 },
  touch: { levels: 6, levelQuote: 2_500, sizeSigma: 0.7, toleranceBps: 0.1, looksPerSecond: 12 },
  noise: { arrivalsPerSecond: 2.2, orderQuote: 400, sizeSigma: 2.4 },
  momentum: { ...LIVELY.momentum, orderQuote: 800, sizeSigma: 1.5 },
  informed: { ...LIVELY.informed, orderQuote: 800, sizeSigma: 1.5 },
};

/** The named sets of parameters. */
export const SYNTHETIC_PRESETS = { lively: LIVELY, quiet: QUIET, fitted: FITTED } as const;

/** Returns a preset with the user's changes. */
export function syntheticParams(
  preset: keyof typeof SYNTHETIC_PRESETS,
  overrides: SyntheticOverrides = {},
): SyntheticParams {
  const base = SYNTHETIC_PRESETS[preset];
  return {
    fundamental: { ...base.fundamental, ...overrides.fundamental },
    providers: { ...base.providers, ...overrides.providers },
    touch: { ...base.touch, ...overrides.touch },
    noise: { ...base.noise, ...overrides.noise },
    momentum: { ...base.momentum, ...overrides.momentum },
    informed: { ...base.informed, ...overrides.informed },
    shocks: overrides.shocks ?? base.shocks,
    referenceEveryMs: overrides.referenceEveryMs ?? base.referenceEveryMs,
  };
}
