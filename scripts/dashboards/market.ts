import type { DashboardPlan } from "./dashboard-plan.js";
import { perMinute, series } from "./metric-query.js";

const here = { market: "$market" } as const;

/** One market: quotes, fills, what they earn, and what stops them. */
export const MARKET: DashboardPlan = {
  name: "market",
  title: "Marketwright: one market",
  description: "One market: its quotes and fills, what they earn, and what stops them.",
  markets: "one",
  rows: [
    {
      title: "Quotes",
      panels: [
        {
          title: "Open orders",
          help: "Own orders that may still fill.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("openOrders", here), legend: "{{account}} {{side}}" }],
        },
        {
          title: "Quoted share of the time",
          help: "Share of the time since the start with an own order on the book.",
          kind: "lines",
          unit: "percentunit",
          queries: [{ expr: series("quotedFraction", here), legend: "{{account}} {{side}}" }],
        },
        {
          title: "Distance behind the best order of others",
          help: "Mean since the start, weighted by time. Below 0 inside the spread.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("quoteDistance", here), legend: "{{account}} {{side}} bps" }],
        },
        {
          title: "Age of the book",
          help: "A book older than risk.maxBookAgeMs halts the market.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("bookAge", here), legend: "{{account}}" }],
        },
      ],
    },
    {
      title: "Fills and profit",
      panels: [
        {
          title: "Fills a minute",
          help: "Own trades, by side and liquidity.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: perMinute("fills", ["side", "liquidity"], here),
              legend: "{{account}} {{side}} {{liquidity}}",
            },
          ],
        },
        {
          title: "Filled base a minute",
          help: "Base amount of own trades.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: perMinute("filledBase", ["side"], here), legend: "{{account}} {{side}}" },
          ],
        },
        {
          title: "Position",
          help: "In base, with fills that have not settled. Long is positive.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("position", here), legend: "{{account}}" }],
        },
        {
          title: "Profit by part",
          help: "Since the start, in quote.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("pnl", here), legend: "{{account}} {{part}}" }],
        },
        {
          title: "Markout",
          help: "Mid after own fills against their prices, in basis points. Above 0 is a gain.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: series("markoutBps", { ...here, side: "BOTH", level: "ALL" }),
              legend: "{{account}} after {{horizon}} s",
            },
          ],
        },
        {
          title: "Markout in quote",
          help: "The same in quote: the sum over these fills.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: series("markoutQuote", { ...here, side: "BOTH", level: "ALL" }),
              legend: "{{account}} after {{horizon}} s",
            },
          ],
        },
        {
          title: "Fills behind a markout",
          help: "Few fills make a markout that means little.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: series("markoutFills", { ...here, side: "BOTH", level: "ALL" }),
              legend: "{{account}} after {{horizon}} s",
            },
          ],
        },
      ],
    },
    {
      title: "Orders",
      panels: [
        {
          title: "Order actions a minute",
          help: "By what was asked and what came of it.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: perMinute("orders", ["action", "outcome"], here),
              legend: "{{account}} {{action}} {{outcome}}",
            },
          ],
        },
        {
          title: "Rejections a minute",
          help: "By the exchange's error code.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: perMinute("rejections", ["code"], here), legend: "{{account}} {{code}}" },
          ],
        },
        {
          title: "Unknown orders",
          help: "Orders that may be open or not. Each counts at full size until the bot knows.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("unknownOrders", here), legend: "{{account}}" }],
        },
        {
          title: "Intents a minute",
          help: "What the strategy asked for, after validation.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("intents", ["kind"], here), legend: "{{account}} {{kind}}" }],
        },
        {
          title: "Refusals a minute",
          help: "Intents and actions that a limit or guard blocked or reduced.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("clamps", ["rule"], here), legend: "{{account}} {{rule}}" }],
        },
        {
          title: "Halts of the market",
          help: "1 while a halt for this reason is active in the market.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("marketHalted", here), legend: "{{account}} {{reason}}" }],
        },
        {
          title: "Risk ladder of the market",
          help: "Active rung: 0 none, 1 warn, 2 widen, 3 reduce, 4 halt, 5 flatten.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("riskRung", here), legend: "{{account}} {{measure}}" }],
        },
        {
          title: "Gaps of the book's stream a minute",
          help: "After each the bot takes a new snapshot.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("streamGaps", ["market"], here), legend: "{{account}}" }],
        },
      ],
    },
  ],
};
