import type { DashboardPlan } from "./dashboard-plan.js";
import { perMinute, quantile, series } from "./metric-query.js";

const account = "{{account}}";

/** The liquidator: its candidates, takeovers, gas and RPCs. */
export const LIQUIDATOR: DashboardPlan = {
  name: "liquidator",
  title: "Marketwright: liquidator",
  description: "The liquidator: accounts that it watches, takeovers, their profit, gas and RPCs.",
  markets: "any",
  rows: [
    {
      title: "Takeovers",
      panels: [
        {
          title: "Profit",
          help: "Takeovers since the start, in quote, with unsold inventory at the mark, less gas.",
          kind: "stat",
          unit: "short",
          decimals: 2,
          queries: [{ expr: `sum(${series("liquidationProfit")})`, legend: "profit" }],
          thresholds: [["red"], ["green", 0]],
        },
        {
          title: "Candidates",
          help: "Accounts that the liquidator watches.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${series("liquidationCandidates")})`, legend: "accounts" }],
        },
        {
          title: "In flight",
          help: "Takeovers that have no final result yet.",
          kind: "stat",
          unit: "short",
          queries: [{ expr: `sum(${series("liquidationsInFlight")})`, legend: "takeovers" }],
        },
        {
          title: "Gas",
          help: "Gas paid since the start, in ETH.",
          kind: "stat",
          unit: "short",
          decimals: 5,
          queries: [{ expr: `sum(${series("liquidationGas")})`, legend: "ETH" }],
        },
        {
          title: "Outcomes",
          help: "Finished liquidations since the start.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: `sum by (account, outcome) (${series("liquidations", { market: "$market" })})`,
              legend: `${account} {{outcome}}`,
            },
          ],
        },
        {
          title: "Stages a minute",
          help: "Positions of unsafe accounts at each stage that they reach.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: perMinute("liquidationStages", ["stage"], { market: "$market" }),
              legend: `${account} {{stage}}`,
            },
          ],
        },
        {
          title: "Time of a stage, 95 %",
          help: "From the previous stage to this stage.",
          kind: "lines",
          unit: "s",
          queries: [
            {
              expr: quantile("liquidationSeconds", 0.95, ["stage"]),
              legend: `${account} {{stage}}`,
            },
          ],
        },
      ],
    },
    {
      title: "Chain",
      panels: [
        {
          title: "Age of the newest block",
          help: "Of each RPC. An old head misses the liquidation.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("rpcHeadAge"), legend: `${account} {{rpc}}` }],
        },
        {
          title: "Trusted RPCs",
          help: "1 while the bot trusts the RPC.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("rpcUp"), legend: `${account} {{rpc}}` }],
        },
      ],
    },
  ],
};
