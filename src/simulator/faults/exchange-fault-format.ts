import { formatErrorBody } from "../rest/api-error.js";
import type { ApiRequest } from "../rest/parameters.js";
import {
  ACCOUNT_STREAM,
  type FaultableRequest,
  type FaultableStream,
  type FaultFormat,
} from "./fault-format.js";
import { gatewayPage } from "./gateway-page.js";

const SINGLE = "/v1/single/";
/** The beginning of a wrapped event is enough to read its stream's name. */
const NAME_WITHIN = 200;

/** The exchange's own interface. */
export const EXCHANGE_FAULT_FORMAT: FaultFormat = {
  toRequest: toFaultableRequest,
  toStream: toFaultableStream,
};

/** A request of the exchange's own interface (docs/reference/exchange-interface.md). */
function toFaultableRequest({ method, path, query, body }: ApiRequest): FaultableRequest {
  return {
    interface: "exchange",
    method,
    path,
    account: () => readAccount(body) ?? readAccount(query),
    refuse: (status, retryAfterSeconds) => ({
      status,
      body: formatErrorBody(status, "Too many requests", "over the rate limit"),
      ...(retryAfterSeconds === undefined
        ? {}
        : { headers: { "retry-after": String(retryAfterSeconds) } }),
    }),
    fail: gatewayPage,
  };
}

/** A connection of the exchange's own streams (docs/reference/protocol.md#connections). */
function toFaultableStream(pathWithQuery: string): FaultableStream {
  const [path = ""] = pathWithQuery.split("?");
  const single = path.startsWith(SINGLE) ? path.slice(SINGLE.length) : undefined;
  const account = single === undefined ? undefined : /^account(?:@|%40)(.*)$/i.exec(single)?.[1];
  // Clients subscribe to trades as `@trade` and read events of `@trades`.
  const only =
    account === undefined
      ? single?.replace(/%40/i, "@").replace(/@trade$/, "@trades")
      : ACCOUNT_STREAM;
  return {
    interface: "exchange",
    account,
    toFrame: (text) => ({
      account,
      stream: only ?? /"stream":"([^"]*)"/.exec(text.slice(0, NAME_WITHIN))?.[1],
    }),
    isSnapshot: (text) => text.includes('"snapshot"'),
    isHeartbeat: (text) => text === "ping" || text === "pong",
    fail: gatewayPage,
  };
}

/** Reads the account of a form or of JSON. */
function readAccount(text: string): string | undefined {
  return (
    /(?:^|&)account=(0x[0-9a-f]{40})/i.exec(text)?.[1] ??
    /"account"\s*:\s*"(0x[0-9a-f]{40})"/i.exec(text)?.[1]
  );
}
