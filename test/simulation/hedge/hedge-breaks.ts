import type { BotConfig } from "#bot/config.js";
import { isHedgeFile } from "#bot/market-hedges.js";
import type { StateStore } from "#bot/state-dir.js";
import type { VenueEvent } from "#exchange/venue.js";
import type { HedgeAction, HedgeOutcome, HedgePlace } from "#hedge/hedge-venue.js";
import type { MarketHedger } from "#hedge/market-hedger.js";
import type { BotRig } from "#simulation/bot-rig.js";
import { bound } from "../breaks.js";
import { START_MS } from "../seed-plan.js";
import type { HedgePlan } from "./hedge-plan.js";
import type { HedgeTap } from "./tapped-hedge-venue.js";

/** A rule of hedges that is switched off. */
export interface HedgeBreak {
  readonly name: string;
  readonly what: string;
  /** Rules of the oracle, one of which must notice. */
  readonly rules: readonly string[];
  /** Changes the seed's plan before anything is built. */
  readonly plan?: (plan: HedgePlan) => HedgePlan;
  readonly config?: (config: BotConfig) => BotConfig;
  readonly store?: (store: StateStore) => StateStore;
  /** Changes or drops an event of the primary venue. */
  readonly primaryEvent?: (event: VenueEvent) => VenueEvent | undefined;
  /** Created anew for each start of a bot. */
  readonly hedgeTap?: () => HedgeTap;
  /** Changes the bot after it was built. */
  readonly bot?: (rig: BotRig, plan: HedgePlan) => void;
}

/** Changes the position that a hedge follows, in lots of its venue. */
function changeTargets(
  { bot }: BotRig,
  change: (target: number, hedger: MarketHedger) => number,
): void {
  for (const { hedger } of bot.context.hedges.all) {
    const settle = hedger.settle.bind(hedger);
    hedger.settle = (demand) => {
      const { targetLots } = demand;
      settle({
        ...demand,
        targetLots: targetLots === undefined ? undefined : change(targetLots, hedger),
      });
    };
  }
}

/** Changes the answers to hedges. */
function answersWith(
  change: (
    outcome: HedgeOutcome,
    action: HedgeAction,
    places: ReadonlyMap<string, HedgePlace>,
  ) => HedgeOutcome,
): Pick<HedgeBreak, "hedgeTap"> {
  return {
    hedgeTap: () => {
      const sent = new Map<number, HedgeAction>();
      const places = new Map<string, HedgePlace>();
      return {
        action: (action) => {
          sent.set(action.actionId, action);
          if (action.kind === "place") places.set(action.key, action);
          return action;
        },
        event: (event) => {
          const action = event.type === "answer" ? sent.get(event.actionId) : undefined;
          return event.type === "answer" && action !== undefined
            ? { ...event, outcome: change(event.outcome, action, places) }
            : event;
        },
      };
    },
  };
}

const REFUSED: HedgeOutcome = {
  result: "not-sent",
  message: "made up by a break",
  retryAfterMs: undefined,
};

/** Quotes that the exchange has accepted, signed, in lots. */
function ackedLots({ bot }: BotRig): number {
  const { account, traderList } = bot.context;
  return traderList
    .flatMap(({ marketId }) => account.orders.mayStillFill(marketId))
    .filter(({ phase }) => phase === "open")
    .reduce((sum, { side, lots }) => sum + (side === "BUY" ? lots : -lots), 0);
}

/** Fails settlements often enough for each seed to have some. */
const oftenFailing = (plan: HedgePlan): HedgePlan => ({
  ...plan,
  primaryFailureRate: 0.1,
  hedgeFailureRate: 0.1,
});

/** The hedge venue is away for half a minute, while the primary venue has no faults. */
const hedgeAway = (plan: HedgePlan): HedgePlan => ({
  ...plan,
  primaryFaults: [],
  hedgeFaults: [
    {
      kind: "exchange-stopped",
      fromMs: START_MS + 35_000,
      untilMs: START_MS + 65_000,
      probability: 1,
    },
  ],
  isPegged: false,
  silences: [],
});

/** Requests to the hedge venue break off, and its stream does not show which of them arrived. */
const requestsBreakOff = (plan: HedgePlan): HedgePlan => ({
  ...plan,
  hedgeFaults: [
    {
      kind: "connection-lost",
      fromMs: START_MS + 5_000,
      untilMs: START_MS + 60_000,
      probability: 0.4,
    },
    {
      kind: "stream-stalled",
      fromMs: START_MS + 5_000,
      untilMs: START_MS + 60_000,
      probability: 1,
    },
  ],
});

/**
 * Rules of hedges that can be switched off, each of which the oracle must notice
 * (docs/reference/hedge-simulation.md).
 */
export const HEDGE_BREAKS: readonly HedgeBreak[] = [
  {
    name: "hedged-on-ack",
    what: "a quote is hedged once the exchange has accepted it, before it has filled",
    rules: ["doubled", "exposure"],
    bot: (rig, { hedge }) =>
      changeTargets(rig, (target) => Math.trunc(target - hedge.ratio * ackedLots(rig))),
  },
  {
    name: "forgotten-at-restart",
    what: "a restarted bot does not know what the last one had hedged",
    rules: ["profit", "adopted", "doubled"],
    plan: (plan) => ({
      ...plan,
      primaryFaults: [
        {
          kind: "bot-killed",
          fromMs: START_MS + 30_000,
          untilMs: START_MS + 32_000,
          probability: 1,
        },
      ],
    }),
    store: (store) => ({
      ...bound(store),
      read: (name) => (isHedgeFile(name) ? undefined : store.read(name)),
    }),
  },
  {
    name: "doubled-after-unknown",
    what: "a hedge without an answer counts as refused, and is sent again",
    rules: ["doubled"],
    plan: requestsBreakOff,
    ...answersWith((outcome, { kind }) =>
      kind === "place" && outcome.result === "unknown" ? REFUSED : outcome,
    ),
  },
  {
    name: "absence-is-proof",
    what: "an order that a question does not find counts as ended at once",
    rules: ["doubled"],
    plan: (plan) => ({
      ...plan,
      hedgeFaults: [
        {
          kind: "request-delayed",
          fromMs: START_MS + 5_000,
          untilMs: START_MS + 70_000,
          probability: 0.4,
        },
      ],
    }),
    ...answersWith((outcome, action, places) => {
      const place = action.kind === "order" ? places.get(action.key) : undefined;
      if (outcome.result !== "absent" || place === undefined) return outcome;
      const { key, symbol, side, lots } = place;
      const order = { key, symbol, side, lots, filledLots: 0, isOpen: false, status: "CANCELED" };
      return { result: "order", order };
    }),
  },
  {
    name: "failed-settlement-ignored",
    what: "a trade of the market whose settlement failed stays hedged",
    rules: ["exposure", "doubled"],
    plan: oftenFailing,
    bot: (rig, { hedge }) => {
      let failedLots = 0;
      const failed = new Set<string>();
      rig.venue.events$.subscribe((event) => {
        if (event.type !== "trade-update" || event.trade.status !== "FAILED") return;
        if (failed.has(event.trade.id)) return;
        failed.add(event.trade.id);
        failedLots += event.trade.side === "BUY" ? event.trade.lots : -event.trade.lots;
      });
      changeTargets(rig, (target, hedger) =>
        Math.trunc(
          target - (hedge.ratio * failedLots) / (hedger.contract.instrument.lotBase * 1_000),
        ),
      );
    },
  },
  {
    name: "stopped-before-settlement",
    what: "a stop does not wait for the settlement of what it has hedged",
    rules: ["end"],
    plan: (plan) => ({
      ...plan,
      primaryFailureRate: 1,
      hedgeFailureRate: 0,
      hedge: { ...plan.hedge, ratio: 1, maxUnhedgedBase: "0.001" },
    }),
    bot: ({ bot }) => {
      Object.defineProperty(bot.context.hedges, "unsettled", { value: [] });
    },
  },
  {
    name: "failed-hedge-ignored",
    what: "a hedge whose settlement failed counts as done",
    rules: ["exposure", "adopted", "profit"],
    plan: oftenFailing,
    hedgeTap: () => ({
      event: (event) => {
        if (event.type === "fill") return event.fill.isReversed ? undefined : event;
        if (event.type !== "answer" || event.outcome.result !== "fills") return event;
        const fills = event.outcome.fills.filter(({ isReversed }) => !isReversed);
        return { ...event, outcome: { ...event.outcome, fills } };
      },
    }),
  },
  {
    name: "reversed-sign",
    what: "a long position is hedged by buying",
    rules: ["exposure", "doubled"],
    bot: (rig) => changeTargets(rig, (target) => -target),
  },
  {
    name: "quotes-while-away",
    what: "quotes go on while the hedge venue is away",
    rules: ["away"],
    plan: hedgeAway,
    bot: ({ bot }) => {
      bot.context.hedges.restrictionOn = () => undefined;
    },
  },
  {
    name: "stale-reference-quoted",
    what: "the price of a hedge venue counts at any age",
    rules: ["reference"],
    plan: (plan) => ({
      ...plan,
      isPegged: true,
      silences: [{ fromMs: START_MS + 20_000, untilMs: START_MS + 40_000 }],
    }),
    config: (config) => ({
      ...config,
      markets: Object.fromEntries(
        Object.entries(config.markets).map(([id, market]) => [
          id,
          market.reference === undefined
            ? market
            : { ...market, reference: { ...market.reference, maxAgeMs: 600_000 } },
        ]),
      ),
    }),
  },
];
