import type { BotConfig } from "#bot/config.js";
import type { BotRig } from "#simulation/bot-rig.js";

/** A rule about reference prices that is switched off. */
export interface ReferenceBreak {
  readonly name: string;
  readonly what: string;
  /** Rules of the oracle, one of which must notice. */
  readonly rules: readonly string[];
  readonly config?: (config: BotConfig) => BotConfig;
  readonly bot?: (rig: BotRig) => void;
}

function referenceWith(change: Record<string, unknown>): Pick<ReferenceBreak, "config"> {
  return {
    config: (config) => ({
      ...config,
      markets: Object.fromEntries(
        Object.entries(config.markets).map(([id, market]) => [
          id,
          market.reference === undefined
            ? market
            : { ...market, reference: { ...market.reference, ...change } },
        ]),
      ),
    }),
  };
}

/**
 * Rules of reference prices that can be switched off, each of which the oracle must notice
 * (docs/reference/simulation-rules.md).
 */
export const REFERENCE_BREAKS: readonly ReferenceBreak[] = [
  {
    name: "stale-price-trusted",
    what: "a source's price counts at any age",
    rules: ["price", "sent", "resting"],
    ...referenceWith({ maxAgeMs: 600_000 }),
  },
  {
    name: "last-price-kept",
    what: "the last price of a source counts on after its connection has broken",
    rules: ["price", "sent", "resting"],
    bot: ({ bot }) => {
      for (const { reference } of bot.context.traderList) {
        if (reference === undefined) continue;
        const { price } = reference;
        const note = price.note.bind(price);
        price.note = (update, nowMs) => update.type !== "down" && note(update, nowMs);
      }
    },
  },
  {
    name: "outlier-of-two-believed",
    what: "of two sources that are apart both count",
    rules: ["price", "sent", "resting"],
    ...referenceWith({ maxDeviationBps: 10_000 }),
  },
  {
    name: "basis-of-own-quotes",
    what: "the basis is fitted to the book's mid with the bot's own orders",
    rules: ["basis"],
    bot: ({ bot }) => {
      for (const trader of bot.context.traderList)
        Object.defineProperty(trader, "netMidTicks", {
          get: () => {
            const { bids, asks } = trader.book.entries();
            const [bid, ask] = [bids[0], asks[0]];
            return bid === undefined || ask === undefined ? undefined : (bid + ask) / 2;
          },
        });
    },
  },
];
