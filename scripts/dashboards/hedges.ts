import type { DashboardPlan } from "./dashboard-plan.js";
import { perMinute, series } from "./metric-query.js";

const here = { market: "$market" } as const;
const venue = "{{account}} {{market}} {{venue}}";
const market = "{{account}} {{market}}";
const source = "{{account}} {{market}} {{source}}";

/** Hedges at other venues, and prices from outside. */
export const HEDGES: DashboardPlan = {
  name: "hedges",
  title: "Marketwright: hedges and references",
  description: "Hedges at other venues, and prices from outside, with the age of their sources.",
  markets: "any",
  rows: [
    {
      title: "Hedges",
      panels: [
        {
          title: "Unhedged",
          help: "Base that is still to be bought at the hedge venue. Empty while a position is unknown.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("hedgeUnhedged", here), legend: venue }],
        },
        {
          title: "Position and its hedge",
          help: "Position here and at the hedge venue, in base.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: series("position", here), legend: `${market} here` },
            { expr: series("hedgePosition", here), legend: venue },
          ],
        },
        {
          title: "Profit of the hedge",
          help: "Since it began, in quote.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("hedgeProfit", here), legend: venue }],
        },
        {
          title: "Hedge venue reachable",
          help: "1 while it is reachable and its position confirmed.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("hedgeReachable", here), legend: venue }],
        },
        {
          title: "Hedged base a minute",
          help: "Base filled at the hedge venue.",
          kind: "lines",
          unit: "short",
          queries: [
            {
              expr: perMinute("hedgeFills", ["market", "venue", "side"], here),
              legend: `${venue} {{side}}`,
            },
          ],
        },
      ],
    },
    {
      title: "References",
      panels: [
        {
          title: "State of the reference",
          help: "Good, starting, stale or disagreeing: the one at 1 is the present one.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("referenceState", here), legend: `${market} {{state}}` }],
        },
        {
          title: "Reference and fair price",
          help: "Price from outside, and the same with the basis of this exchange.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: series("referencePrice", here), legend: `${market} reference` },
            { expr: series("referenceFairPrice", here), legend: `${market} fair` },
          ],
        },
        {
          title: "Basis",
          help: "Price of this exchange above the reference, in basis points.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("referenceBasis", here), legend: market }],
        },
        {
          title: "Age of the reference",
          help: "Age of the oldest price that counts.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("referenceAge", here), legend: market }],
        },
        {
          title: "Sources that count",
          help: "1 while the price of the source counts.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("referenceSourceCounts", here), legend: source }],
        },
        {
          title: "Age of each source",
          help: "Age of its newest price.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("referenceSourceAge", here), legend: source }],
        },
      ],
    },
  ],
};
