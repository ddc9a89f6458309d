import type { Rehearsal, RehearsedDeath, RehearsedRun } from "#rehearsal/rehearsal-result.js";

const CREDIT = 1_000_000n;

/** An amount of whole quote in credit units of six decimals. */
export function quote(amount: number): bigint {
  return BigInt(Math.round(amount * 100)) * (CREDIT / 100n);
}

/** A run of five minutes in one market in which nothing went wrong. */
export function sampleRun(differences: Partial<RehearsedRun>): RehearsedRun {
  return {
    seed: 1,
    fault: "none",
    strikes: 0,
    profitScaled: quote(10),
    worstDrawdownScaled: quote(1),
    unquotedMs: 1000,
    marketMs: 300_000,
    markets: 1,
    orders: 100,
    cancels: 90,
    tokens: { common: 10, order: 190 },
    refusals429: 0,
    deaths: [],
    halts: [],
    rungs: [],
    fills: 20,
    turnoverScaled: quote(24_000),
    feesScaled: quote(-2.4),
    edgeScaled: quote(6),
    largestPositionLots: { btcusdc: 60 },
    largestOrderLots: { btcusdc: 20 },
    quotesOnStaleReferenceMs: 0,
    unhedgedMs: 0,
    ordersLeftOpen: 0,
    error: undefined,
    timeline: undefined,
    ...differences,
  };
}

/** A death of ten seconds with two open orders, which the guard cancelled after three. */
export function sampleDeath(differences: Partial<RehearsedDeath>): RehearsedDeath {
  return {
    atMs: 60_000,
    downMs: 10_000,
    openOrders: 2,
    openGtcOrders: 0,
    guardActedMs: 3000,
    ordersGoneMs: 3200,
    filledWhileDeadLots: 0,
    lossWhileDeadScaled: 0n,
    ...differences,
  };
}

/** A complete rehearsal of some runs. */
export function sampleRehearsal(
  runs: readonly RehearsedRun[],
  differences: Partial<Rehearsal> = {},
): Rehearsal {
  return {
    bot: "bot.yaml",
    seeds: [...new Set(runs.map(({ seed }) => seed))],
    marketMs: 300_000,
    decimals: 6,
    equityScaled: quote(100_000),
    runsGuard: true,
    orderTokensPerMinute: 1200,
    notes: [],
    notRehearsed: [],
    runs,
    isComplete: true,
    ...differences,
  };
}
