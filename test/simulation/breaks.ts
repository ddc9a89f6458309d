import type { OrderPhase } from "#account/order.js";
import type { OwnOrders } from "#account/own-orders.js";
import { BUDGET_FILE } from "#bot/action-budget.js";
import type { BotConfig } from "#bot/config.js";
import { PEAK_FILE } from "#bot/equity-monitor.js";
import type { Outcome, VenueEvent } from "#exchange/venue.js";
import type { BotRig, RigOptions, VenueTap } from "#simulation/bot-rig.js";
import type { Break } from "./break.js";

const tapped = (tap: (rig: () => BotRig, options: RigOptions) => VenueTap): Pick<Break, "rig"> => ({
  rig: (options, { rig }) => ({ ...options, tap: tap(rig, options) }),
});

/** Changes the outcome of a kind of action on its way to the bot. */
function outcomes(change: (outcome: Outcome, kind: string) => Outcome): Pick<Break, "rig"> {
  const kinds = new Map<number, string>();
  return tapped(() => ({
    action: (action) => {
      kinds.set(action.actionId, action.kind);
      return action;
    },
    event: (event) =>
      event.type === "answer"
        ? { ...event, outcome: change(event.outcome, kinds.get(event.actionId) ?? "") }
        : event,
  }));
}

const REFUSED: Outcome = {
  result: "rejected",
  code: 1111,
  codeText: "Bad params",
  message: "made up by a break",
  httpStatus: 400,
};

function botConfigWith(change: (config: BotConfig) => BotConfig): Pick<Break, "rig"> {
  return { rig: (options) => ({ ...options, config: change(options.config) }) };
}

function marketsWith(
  config: BotConfig,
  change: (market: BotConfig["markets"][string]) => BotConfig["markets"][string],
): BotConfig {
  return {
    ...config,
    markets: Object.fromEntries(
      Object.entries(config.markets).map(([id, market]) => [id, change(market)]),
    ),
  };
}

const withoutIdentity = <T extends { readonly hash: string; readonly info: string }>(
  order: T,
): T => ({
  ...order,
  hash: `0x${"0".repeat(64)}`,
  info: `0x${"0".repeat(64)}`,
});

/** Removes orders in a phase from the slots and from the worst case. */
function uncount(orders: OwnOrders, uncounted: OrderPhase): void {
  const { mayStillFill } = orders;
  orders.mayStillFill = (marketId) =>
    mayStillFill.call(orders, marketId).filter(({ phase }) => phase !== uncounted);
}

/**
 * Rules that can be switched off. A simulation must notice each
 * (docs/reference/simulation-rules.md).
 */
export const BREAKS: readonly Break[] = [
  {
    name: "timeout-is-rejection",
    what: "a place without an answer in time counts as refused",
    ...outcomes((outcome, kind) =>
      kind === "place" && outcome.result === "unknown" && outcome.cause === "timeout"
        ? REFUSED
        : outcome,
    ),
  },
  {
    name: "server-error-is-rejection",
    what: "a place answered by a 5xx counts as refused",
    ...outcomes((outcome, kind) =>
      kind === "place" && outcome.result === "unknown" && outcome.cause === "server-error"
        ? REFUSED
        : outcome,
    ),
  },
  {
    name: "no-dead-time-wait",
    what: "an unknown place counts as dead as soon as the exchange does not show it, within its signature window too",
    ...botConfigWith((config) => ({
      ...config,
      exchange: { ...config.exchange, signatureWindowMs: 1 },
    })),
  },
  {
    name: "nonce-as-identity",
    what: "orders are recognised by the id of their answer alone, not by hash or info",
    ...tapped(() => ({
      event: (event): VenueEvent => {
        if (event.type === "order-update") return { ...event, order: withoutIdentity(event.order) };
        if (event.type !== "answer" || event.outcome.result !== "answered") return event;
        const { outcome } = event;
        if (outcome.ask !== "openOrders" && outcome.ask !== "historyOrders") return event;
        return { ...event, outcome: { ...outcome, data: outcome.data.map(withoutIdentity) } };
      },
    })),
  },
  {
    name: "place-before-cancel",
    what: "a replacement is sent right after the cancel, without waiting for its answer",
    bot: ({ bot }) => uncount(bot.context.account.orders, "cancelling"),
  },
  {
    name: "unknown-not-counted",
    what: "an unknown order opens its slot and counts in no worst case",
    bot: ({ bot }) => uncount(bot.context.account.orders, "unknown"),
  },
  {
    name: "sequence-ignored",
    what: "a book update is applied even if its sequence does not follow",
    ...tapped((rig) => ({
      event: (event): VenueEvent => {
        if (event.type !== "book-update") return event;
        const { sequence } = rig().bot.context.traders.get(event.marketId)?.book ?? {};
        return sequence === undefined
          ? event
          : {
              ...event,
              beginSequence: sequence + 1,
              endSequence: Math.max(event.endSequence, sequence + 1),
            };
      },
    })),
  },
  {
    name: "stale-book-quoted",
    what: "quotes are placed on a book of any age",
    ...botConfigWith((config) => ({ ...config, risk: { ...config.risk, maxBookAgeMs: 600_000 } })),
  },
  {
    name: "limits-ignored",
    what: "the position limit is ten times what the config says",
    ...botConfigWith((config) =>
      marketsWith(config, (market) => ({
        ...market,
        limits: {
          ...market.limits,
          maxPositionBase: String(10 * Number(market.limits.maxPositionBase)),
        },
      })),
    ),
  },
  {
    name: "budget-ignored",
    what: "the bot assumes three times the exchange's rate limits",
    rig: (options, { rules }) => ({
      ...options,
      rules: {
        ...rules,
        rateLimits: rules.rateLimits.map((one) => ({ ...one, limit: 3 * one.limit })),
      },
    }),
  },
  {
    name: "spend-forgotten",
    what: "a restarted bot does not know the tokens that the last one spent",
    noticedBySeed: 2,
    rig: (options) => {
      const { store } = options;
      if (store === undefined) return options;
      return {
        ...options,
        store: {
          ...bound(store),
          read: (name) => (name === BUDGET_FILE ? undefined : store.read(name)),
        },
      };
    },
  },
  {
    name: "transfers-forgotten",
    what: "a restarted bot does not know which deposits and withdrawals the last one had counted in its peak",
    noticedBySeed: 4,
    rig: (options) => {
      const { store } = options;
      if (store === undefined) return options;
      const forgetful = (text: string | undefined) => text?.replace(/,"transfers":\{.*?\}/, "");
      return {
        ...options,
        store: {
          ...bound(store),
          read: (name) => (name === PEAK_FILE ? forgetful(store.read(name)) : store.read(name)),
        },
      };
    },
  },
  {
    name: "deposit-is-profit",
    what: "an unexplained gain counts as profit at once",
    noticedBySeed: 3,
    bot: ({ bot }) => {
      const field: keyof typeof bot.context.account = "unexplainedEquity";
      Object.defineProperty(bot.context.account, field, { value: 0n });
    },
  },
  {
    name: "no-reconcile",
    what: "the exchange is never queried for the orders",
    noticedBySeed: 3,
    ...tapped((rig, { clock }) => ({
      action: (action) => {
        if (
          action.kind !== "question" ||
          (action.ask !== "openOrders" && action.ask !== "historyOrders")
        )
          return action;
        // The first reconciliation is let through: without it no bot starts.
        if (!rig().bot.context.account.confirmed) return action;
        clock.setTimer(0, () =>
          rig().bot.accept({
            kind: "event",
            event: {
              type: "answer",
              actionId: action.actionId,
              outcome: { result: "not-sent", message: "made up by a break" },
            },
          }),
        );
        return undefined;
      },
    })),
  },
  {
    name: "failed-settlement-ignored",
    what: "a trade whose settlement failed stays in the position",
    plan: (plan) => ({
      ...plan,
      exchange: {
        ...plan.exchange,
        settlement: { ...plan.exchange.settlement, failureRate: 0.05 },
      },
    }),
    ...tapped(() => ({
      event: (event): VenueEvent | undefined => {
        if (event.type === "trade-update" && event.trade.status === "FAILED") return undefined;
        if (
          event.type !== "answer" ||
          event.outcome.result !== "answered" ||
          event.outcome.ask !== "userTrades"
        )
          return event;
        const data = event.outcome.data.map((trade) =>
          trade.status === "FAILED" ? { ...trade, status: "SETTLED" } : trade,
        );
        return { ...event, outcome: { ...event.outcome, data } };
      },
    })),
  },
];

/** A store whose methods can be replaced one by one. */
export function bound(store: NonNullable<RigOptions["store"]>): NonNullable<RigOptions["store"]> {
  return {
    names: () => store.names(),
    read: (name) => store.read(name),
    readTail: (name, maxBytes) => store.readTail(name, maxBytes),
    write: (name, text) => store.write(name, text),
    writeBehind: (name, text) => store.writeBehind(name, text),
    writeLater: (name, text) => store.writeLater(name, text),
    append: (name, line) => store.append(name, line),
    setAside: (folder, names) => store.setAside(folder, names),
    takeBack: (folder) => store.takeBack(folder),
    close: () => store.close(),
  };
}
