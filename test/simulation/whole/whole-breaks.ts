import type { WholeBreak } from "./run-whole.js";

/**
 * The rules of the whole system that can be switched off, each of which its witness must notice
 * (docs/reference/simulation-rules.md).
 */
export const WHOLE_BREAKS: readonly WholeBreak[] = [
  {
    name: "takeover-takes-no-room",
    what: "a takeover that is planned or under way takes no room in the limits",
    rules: ["limit", "reserve"],
    bot: ({ context }) => {
      context.reservations.in = () => [];
    },
  },
  {
    name: "takeover-not-noticed",
    what: "a market is still quoted after a takeover has moved its position by an unknown amount",
    rules: ["position"],
    bot: ({ context }) => {
      context.account.positionUncertainty = () => undefined;
      context.reservations.isOverdue = () => false;
    },
  },
  {
    name: "trades-never-fail",
    what: "trades that have not settled make room in the limits as if none of them could fail",
    rules: ["limit", "reserve", "account"],
    bot: ({ context }) => {
      context.account.unsettledLots = () => ({ buy: 0, sell: 0 });
    },
  },
  {
    name: "limits-ignored",
    what: "the position limit is ten times what the config says",
    rules: ["limit", "reserve"],
    rework: (options) => {
      const { config } = options;
      const markets = Object.entries(config.markets).map(([id, market]) => [
        id,
        {
          ...market,
          limits: {
            ...market.limits,
            maxPositionBase: String(10 * Number(market.limits.maxPositionBase)),
          },
        },
      ]);
      return { ...options, config: { ...config, markets: Object.fromEntries(markets) } };
    },
  },
];
