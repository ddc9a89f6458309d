import { KLINE_INTERVALS } from "../../exchange/protocol/parameters.js";
import type { ExchangeConfig } from "../config/config.js";
import { offeredOperations } from "../rest/offered-operations.js";
import { ACCOUNT_STREAM } from "./fault-format.js";
import type { FaultNames } from "./fault-names.js";

/** The names of the exchange's own interface. A bar's interval is written in either case. */
export function exchangeFaultNames(config: ExchangeConfig): FaultNames {
  const intervals = KLINE_INTERVALS.flatMap((interval) => [interval.toLowerCase(), interval]);
  const kinds = ["orderbook", "market", "trades", ...intervals.map((each) => `kline${each}`)];
  return {
    interface: "exchange",
    endpoints: offeredOperations(config).map(({ method, path }) => `${method} ${path}`),
    streams: [
      ACCOUNT_STREAM,
      ...Object.keys(config.markets).flatMap((id) => kinds.map((kind) => `${id}@${kind}`)),
    ],
    hasSnapshots: true,
  };
}
