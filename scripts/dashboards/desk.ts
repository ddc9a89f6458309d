import type { DashboardPlan } from "./dashboard-plan.js";
import { perMinute, series } from "./metric-query.js";

const account = "{{account}}";
const market = "{{account}} {{market}}";

/** All accounts of a desk: do they quote, what do they earn, and is anything wrong? */
export const DESK: DashboardPlan = {
  name: "desk",
  title: "Marketwright: desk",
  description: "All bots of a desk: do they quote, what do they earn, and is anything wrong?",
  rows: [
    {
      title: "Now",
      panels: [
        {
          title: "Bots",
          help: "Bots that answered the last scrape.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `count(${series("buildInfo")})`, legend: "bots" }],
          thresholds: [["red"], ["green", 1]],
        },
        {
          title: "Markets not quoted",
          help: "Markets without an own order on each side.",
          kind: "stat",
          unit: "short",
          queries: [
            { expr: `count(${series("quoting")}) - sum(${series("quoting")})`, legend: "markets" },
          ],
          thresholds: [["green"], ["orange", 1]],
        },
        {
          title: "Halts",
          help: "Halts that are active, of bots and of markets. 0 if nothing has halted since the start.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${series("halted")}) or vector(0)`, legend: "halts" }],
          thresholds: [["green"], ["red", 1]],
        },
        {
          title: "Equity",
          help: "Net value of all accounts, in quote, with their hedges.",
          kind: "stat",
          unit: "short",
          decimals: 2,
          queries: [{ expr: `sum(${series("equity")})`, legend: "equity" }],
        },
        {
          title: "Profit since the start",
          help: "All parts of the profit, in quote.",
          kind: "stat",
          unit: "short",
          decimals: 2,
          queries: [{ expr: `sum(${series("pnl")})`, legend: "profit" }],
          thresholds: [["red"], ["green", 0]],
        },
        {
          title: "Drawdown",
          help: "Largest distance of an account from its peak.",
          kind: "stat",
          unit: "percentunit",
          decimals: 3,
          queries: [
            { expr: `max(1 - ${series("equity")} / ${series("peakEquity")})`, legend: "drawdown" },
          ],
          thresholds: [["green"], ["orange", 0.01], ["red", 0.03]],
        },
      ],
    },
    {
      title: "Money",
      panels: [
        {
          title: "Equity and its peak",
          help: "Net value of each account, and the peak from which its drawdown counts.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: series("equity"), legend: `${account} equity` },
            { expr: series("peakEquity"), legend: `${account} peak` },
          ],
        },
        {
          title: "Profit by part",
          help: "Where the profit since the start comes from, in quote.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: `sum by (account, part) (${series("pnl")})`, legend: `${account} {{part}}` },
          ],
        },
        {
          title: "Loss of the day",
          help: "Loss since midnight UTC, without deposits and withdrawals; 0 after a gain.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("dailyLoss"), legend: account }],
        },
        {
          title: "Change without a record",
          help: "Change of the net value that nothing explains yet. It returns to 0 within a minute.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("underWay"), legend: account }],
        },
      ],
    },
    {
      title: "Positions and risk",
      panels: [
        {
          title: "Position",
          help: "Position of each market in base, with fills that have not settled.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("position"), legend: market }],
        },
        {
          title: "Risk ladder",
          help: "Active rung: 0 none, 1 warn, 2 widen, 3 reduce, 4 halt, 5 flatten.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("riskRung"), legend: `${market} {{measure}}` }],
          thresholds: [["green"], ["orange", 2], ["red", 4]],
        },
        {
          title: "Halts by reason",
          help: "1 while a halt for this reason is active.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("halted"), legend: `${account} {{reason}}` }],
        },
        {
          title: "Position unknown",
          help: "Time for which the position of a market has been unknown.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("positionUnknown"), legend: market }],
          thresholds: [["green"], ["red", 30]],
        },
      ],
    },
    {
      title: "Trading",
      panels: [
        {
          title: "Quoting",
          help: "1 while both sides have an own order.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("quoting"), legend: market }],
        },
        {
          title: "Fills a minute",
          help: "Own trades when they match.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("fills", ["market"]), legend: market }],
        },
        {
          title: "Settlement failures a minute",
          help: "Own trades that failed to settle: the position changes back.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("settlementFailures", ["market"]), legend: market }],
        },
        {
          title: "Orders that are not the bot's",
          help: "Open orders of the account that the bot did not place.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("manualOrders"), legend: market }],
        },
      ],
    },
  ],
};
