import type { ExchangeConfig } from "../../config/config.js";
import { ACCOUNT_STREAM } from "../../faults/fault-format.js";
import type { FaultNames } from "../../faults/fault-names.js";
import { USDM_STREAM_KINDS, USDM_STREAMS_OF_ALL } from "./streams/usdm-stream-names.js";
import { USDM_OPERATIONS } from "./usdm-operations.js";
import { toSymbol } from "./usdm-symbols.js";

/** The names of the dialect. A user stream is `account`, since a listen key is not known before. */
export function usdmFaultNames({ markets }: Pick<ExchangeConfig, "markets">): FaultNames {
  const symbols = Object.values(markets).map((market) => toSymbol(market).toLowerCase());
  return {
    interface: "binance-usdm",
    endpoints: Object.values(USDM_OPERATIONS).map(({ method, path }) => `${method} ${path}`),
    streams: [
      ACCOUNT_STREAM,
      ...symbols.flatMap((symbol) => USDM_STREAM_KINDS.map((kind) => `${symbol}@${kind}`)),
      ...USDM_STREAMS_OF_ALL,
    ],
    hasSnapshots: false,
  };
}
