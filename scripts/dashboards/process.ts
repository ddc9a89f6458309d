import type { DashboardPlan } from "./dashboard-plan.js";
import { nodeSeries, ofBots, perMinute, quantile, series } from "./metric-query.js";

const account = "{{account}}";

/** The process of each bot: is it fast enough, and does it know what it must? */
export const PROCESS: DashboardPlan = {
  name: "process",
  title: "Marketwright: process",
  description: "The process of each bot: latency, rate limits, streams, account and resources.",
  rows: [
    {
      title: "Speed",
      panels: [
        {
          title: "Tick to order",
          help: "From the receipt of a message to the write of the signed order.",
          kind: "lines",
          unit: "s",
          queries: [
            { expr: quantile("tickToOrder", 0.5), legend: `${account} median` },
            { expr: quantile("tickToOrder", 0.99), legend: `${account} 99 %` },
          ],
        },
        {
          title: "Order to answer",
          help: "From the write of an order action to its answer.",
          kind: "lines",
          unit: "s",
          queries: [
            { expr: quantile("orderAck", 0.5), legend: `${account} median` },
            { expr: quantile("orderAck", 0.99), legend: `${account} 99 %` },
          ],
        },
        {
          title: "Delay of the event loop",
          help: "Above 0.25 s for half a minute a loop-lag halt is near.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("loopLag"), legend: account }],
          thresholds: [["green"], ["red", 0.25]],
        },
        {
          title: "Load shed",
          help: "1 while the bot decides less often because its event loop lags.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("loadShed"), legend: account }],
        },
      ],
    },
    {
      title: "Rate limits",
      panels: [
        {
          title: "Tokens left",
          help: "In each rate limit's sliding window.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("rateTokens"), legend: `${account} {{bucket}}` }],
        },
        {
          title: "Tokens short",
          help: "1 while an action waits for tokens.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("tokensShort"), legend: `${account} {{bucket}}` }],
        },
        {
          title: "Throttled requests a minute",
          help: "Requests that the exchange refused because of a rate limit.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("throttled", ["status"]), legend: `${account} {{status}}` }],
        },
      ],
    },
    {
      title: "Streams and account",
      panels: [
        {
          title: "Streams",
          help: "1 while the stream is connected and subscribed.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("streamUp"), legend: `${account} {{stream}}` }],
        },
        {
          title: "Connects a minute",
          help: "Connects and reconnects of a stream.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: perMinute("streamConnects", ["stream"]), legend: `${account} {{stream}}` },
          ],
        },
        {
          title: "Malformed frames a minute",
          help: "Frames and answers that did not match the protocol.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("malformed", ["kind"]), legend: `${account} {{kind}}` }],
        },
        {
          title: "Age of the account",
          help: "Time since the exchange last confirmed the account.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("accountAge"), legend: account }],
        },
        {
          title: "Exchange's clock minus this machine's",
          help: "A large offset makes signatures expire: check the time service.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: series("clockOffset"), legend: account }],
        },
        {
          title: "Age of the heartbeat",
          help: "The guard cancels the orders of a bot whose heartbeat is older than 3 s.",
          kind: "lines",
          unit: "s",
          queries: [{ expr: `time() - ${series("heartbeat")}`, legend: account }],
          thresholds: [["green"], ["red", 10]],
        },
        {
          title: "Guarded",
          help: "1 while a guard would cancel the orders of a bot that dies.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("guarded"), legend: account }],
        },
        {
          title: "Unwritten state",
          help: "1 while a file of the state folder cannot be written: is the disk full?",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("stateUnwritten"), legend: `${account} {{file}}` }],
        },
        {
          title: "Reconciliations a minute",
          help: "Finished comparisons with the exchange.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: perMinute("reconciles", []), legend: account }],
        },
        {
          title: "Differences a minute",
          help: "Differences from the exchange that a reconciliation found.",
          kind: "lines",
          unit: "short",
          queries: [
            { expr: perMinute("reconcileDifferences", ["kind"]), legend: `${account} {{kind}}` },
          ],
        },
      ],
    },
    {
      title: "Resources",
      panels: [
        {
          title: "Processor",
          help: "Share of one core.",
          kind: "lines",
          unit: "percentunit",
          queries: [
            {
              expr: ofBots(`rate(${nodeSeries("process_cpu_seconds_total")}[$__rate_interval])`),
              legend: account,
            },
          ],
        },
        {
          title: "Memory",
          help: "Resident memory, and the heap in use.",
          kind: "lines",
          unit: "bytes",
          queries: [
            {
              expr: ofBots(nodeSeries("process_resident_memory_bytes")),
              legend: `${account} resident`,
            },
            { expr: ofBots(nodeSeries("nodejs_heap_size_used_bytes")), legend: `${account} heap` },
          ],
        },
        {
          title: "Versions",
          help: "Package and Node of each bot.",
          kind: "lines",
          unit: "short",
          queries: [{ expr: series("buildInfo"), legend: `${account} {{version}} {{node}}` }],
        },
      ],
    },
  ],
};
