import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { drawFaults, type FaultWindow } from "#simulation/faults.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { botConfig } from "../bot-config.js";
import { type SeedPlan, START_MS } from "../seed-plan.js";

/** How every RPC of the chain fails in a stretch of time. */
export interface RpcOutage {
  readonly kind: "silent" | "slow" | "refusing" | "behind";
  readonly fromMs: Ms;
  readonly untilMs: Ms;
}

/** Something that happens right after the n-th takeover was sent or mined. */
export interface TakeoverTrigger {
  readonly on: "sent" | "mined";
  /** Counted from 1, over all processes of the run. */
  readonly nth: number;
  readonly fault: "rpc-silent" | "rest-slow" | "bot-killed" | "stream-lost";
  readonly forMs: Ms;
}

/** Everything that one run of the whole system is made of: drawn from its seed alone. */
export interface WholePlan extends SeedPlan {
  readonly rpcs: number;
  readonly outages: readonly RpcOutage[];
  readonly triggers: readonly TakeoverTrigger[];
  /** When the last fault is over. */
  readonly faultsEndMs: Ms;
  /** The faults go on until the bot has left. */
  readonly endsDisturbed: boolean;
}

/** The default length of a run. */
export const WHOLE_MS: Ms = 120_000;
/** Before the faults: the bot's start and the first positions of the leveraged traders. */
export const WHOLE_CALM_BEFORE_MS: Ms = 5_000;
/** Both sides must agree so long after the last fault; a reconciliation takes place every 30 s. */
export const WHOLE_CALM_MS: Ms = 40_000;
const MARKETS = ["btcusdc", "ethusdc"] as const;

type Pick = <T>(choices: readonly T[]) => T;

/** Draws a run. */
export function wholePlanOf(seed: number, marketMs: Ms): WholePlan {
  const random = seededRandom(`whole ${seed}`);
  const pick: Pick = (choices) =>
    choices[Math.floor(random.uniform() * choices.length)] as (typeof choices)[number];
  const endMs = START_MS + marketMs;
  const endsDisturbed = random.uniform() < 0.25;
  const faultsEndMs = endsDisturbed ? endMs + 60_000 : endMs - WHOLE_CALM_MS;
  const markets = random.uniform() < 0.6 ? MARKETS : [pick(MARKETS)];
  return {
    seed,
    exchange: exchangeOf(seed, markets, pick),
    bot: botOf(markets, pick),
    faults: faultsOf(random, START_MS + WHOLE_CALM_BEFORE_MS, faultsEndMs, pick),
    realSignatures: true,
    manualEveryMs: 0,
    transfersEveryMs: 0,
    marketMs,
    rpcs: pick([1, 1, 2]),
    outages: outagesOf(random, START_MS + WHOLE_CALM_BEFORE_MS, faultsEndMs, pick),
    triggers: triggersOf(random, pick),
    faultsEndMs,
    endsDisturbed,
  };
}

function exchangeOf(seed: number, markets: readonly string[], pick: Pick): SeedPlan["exchange"] {
  const everyMs = pick([15_000, 25_000]);
  const count = pick([4, 8]);
  const market = (id: string) => ({
    baseAsset: id.slice(0, 3).toUpperCase(),
    maxLeverage: 25,
    ...(id === "ethusdc" ? { tickSize: "0.01", stepSize: "0.001" } : {}),
    funding: {
      mode: "fixed",
      intervalMs: pick([60_000, 600_000]),
      rate: pick(["0.0001", "-0.0002", "0.00075"]),
    },
    flow: {
      kind: "synthetic",
      preset: pick(["quiet", "quiet", "lively"]),
      startPriceQuote: id === "ethusdc" ? 3_000 : 60_000,
      // Near their highest leverage and back soon: each shock liquidates some of them.
      leveraged: {
        count,
        creditQuote: 800,
        severalMarketsShare: 0.25,
        openWithinMs: 10_000,
        holdMs: 60_000,
        pauseMs: 4_000,
      },
      shocks: {
        firstMs: 15_000,
        everyMs,
        sizeBps: { min: 165, max: 200 },
        direction: "alternate",
        decayHalfLifeMs: 600_000,
      },
    },
  });
  return parseExchangeConfig({
    seed: `whole ${seed}`,
    markets: Object.fromEntries(markets.map((id) => [id, market(id)])),
    rateLimits: {
      common: pick([900, 2400]),
      order: pick([120, 300]),
      key: "ip",
      requestsBeforeBan: 60,
      banMs: 20_000,
    },
    streams: { bookIntervalMs: pick([100, 500]), pings: pick(["both", "text", "protocol"]) },
    retention: { publicTrades: 500, historyOrders: 20_000, userTrades: 5_000, incomes: 5_000 },
    chain: {
      rpc: null,
      accounts: { count: 0 },
      blocks: { intervalMs: pick([1_000, 2_000]) },
      oracle: { minChangeBps: 1 },
    },
  });
}

function botOf(markets: readonly string[], pick: Pick): SeedPlan["bot"] {
  const [btc, eth] = pick([
    ["0.15", "3"],
    ["0.3", "6"],
    ["0.5", "10"],
  ]) as [string, string];
  const strategyOf = (id: string) => ({
    strategy: "ladder",
    params: {
      levels: pick([1, 2, 3]),
      halfSpreadBps: pick([0.4, 1, 2]),
      levelSpacingBps: 1,
      sizeBase: id === "ethusdc" ? 0.5 : 0.02,
    },
    limits: {
      maxPositionBase: id === "ethusdc" ? eth : btc,
      maxOrderBase: id === "ethusdc" ? "2" : "0.1",
      maxOpenOrders: 12,
      ...pick([{}, {}, { maxNotionalQuote: id === "ethusdc" ? "9000" : "12000" }]),
    },
  });
  return botConfig({
    quotes: {
      timeInForce: pick(["POST_ONLY", "POST_ONLY", "GTT"]),
      quoteLifeMs: 90_000,
      priceToleranceTicks: 5,
    },
    decide: {
      everyMs: pick([500, 1_000]),
      onTouchChange: false,
      onFill: pick([true, false]),
      minGapMs: 250,
    },
    markets: Object.fromEntries(markets.map((id) => [id, strategyOf(id)])),
    risk: {
      maxDrawdownQuote: "1000000",
      maxBookAgeMs: 2_000,
      ...pick([{}, { maxLeverage: 0.25 }, { maxNotionalQuote: "20000" }]),
    },
    guard: { orderTokensFraction: 0.1, heartbeatMs: 500, deadAfterMs: 3_000 },
    chain: { rpcEnv: ["RPC"], pollMs: pick([500, 1_000]), confirmations: pick([1, 1, 2]) },
    liquidator: {
      minProfitQuote: "0.5",
      maxNotionalQuote: "50000",
      watchFromBlock: 0,
      takeUpTo: pick(["position", "cure"]),
      unwind: { makerFirstMs: pick([2_000, 10_000]), horizonMs: 30_000, slices: 6 },
    },
  });
}

/**
 * None; slow answers of REST alone; or, in a third of the seeds, everything that a network does.
 */
function faultsOf(random: Random, fromMs: Ms, untilMs: Ms, pick: Pick): readonly FaultWindow[] {
  const weather = pick(["calm", "slow-rest", "slow-rest", "storm", "storm"]);
  const windows: FaultWindow[] = [];
  const stretch = (kind: FaultWindow["kind"], longestMs: Ms, probability: number): void => {
    const start = fromMs + Math.floor(random.uniform() * (untilMs - fromMs));
    const length = Math.floor(longestMs * (0.3 + 0.7 * random.uniform()));
    windows.push({ kind, fromMs: start, untilMs: Math.min(untilMs, start + length), probability });
  };
  if (weather === "slow-rest")
    for (let count = pick([1, 2, 3]); count > 0; count -= 1)
      stretch("answer-delayed", 60_000, pick([0.5, 1]));
  // An hour's faults in three minutes would leave no moment in which anything is quoted.
  if (weather === "storm")
    windows.push(...drawFaults(random, fromMs, untilMs).filter(() => random.uniform() < 0.5));
  else if (pick([true, false])) stretch("bot-killed", 10_000, 1);
  return windows.sort((a, b) => a.fromMs - b.fromMs);
}

function outagesOf(random: Random, fromMs: Ms, untilMs: Ms, pick: Pick): readonly RpcOutage[] {
  return Array.from({ length: pick([0, 1, 2]) }, () => {
    const start = fromMs + Math.floor(random.uniform() * (untilMs - fromMs));
    const length = 5_000 + Math.floor(40_000 * random.uniform());
    return {
      kind: pick(["silent", "slow", "refusing", "behind"] as const),
      fromMs: start,
      untilMs: Math.min(untilMs, start + length),
    };
  });
}

function triggersOf(random: Random, pick: Pick): readonly TakeoverTrigger[] {
  return Array.from({ length: pick([0, 1, 2, 3]) }, () => ({
    on: pick(["sent", "sent", "mined"] as const),
    nth: pick([1, 2, 3, 5]),
    fault: pick([
      "rpc-silent",
      "rpc-silent",
      "rest-slow",
      "rest-slow",
      "bot-killed",
      "stream-lost",
    ] as const),
    forMs: 5_000 + Math.floor(45_000 * random.uniform()),
  }));
}
