import { ACCOUNT_STREAM, type FaultFormat } from "../../faults/fault-format.js";
import { gatewayPage } from "../../faults/gateway-page.js";
import type { ApiResponse } from "../../rest/api-error.js";
import { readUsdmStreamPath } from "./streams/usdm-stream-names.js";
import type { UsdmConfig } from "./usdm-config.js";
import type { UsdmDialect } from "./usdm-dialect.js";
import { UsdmError } from "./usdm-error.js";
import { bannedUntil, tooManyRequests } from "./usdm-rate-errors.js";

const INTERFACE = "binance-usdm";

/** The dialect, as faults select and refuse its requests and streams. */
export function usdmFaultFormat(
  dialect: UsdmDialect,
  { rateLimits: { banMs, weightPerMinute } }: UsdmConfig,
): FaultFormat {
  const refuse = (ip: string, status: 429 | 418, seconds: number | undefined): ApiResponse => {
    const untilMs = dialect.nowMs() + (seconds === undefined ? banMs : seconds * 1000);
    const headers: Readonly<Record<string, string>> =
      seconds === undefined ? {} : { "retry-after": String(seconds) };
    return status === 418
      ? bannedUntil(ip, untilMs, headers).toResponse()
      : tooManyRequests(ip, weightPerMinute, headers).toResponse();
  };
  return {
    toRequest: (request) => ({
      interface: INTERFACE,
      method: request.method,
      path: request.path,
      account: () => dialect.accountOfRequest(request),
      refuse: (status, seconds) => refuse(request.ip, status, seconds),
      fail: failure,
    }),
    toStream: (pathWithQuery) => {
      const names = readUsdmStreamPath(pathWithQuery)?.names ?? [];
      const find = () =>
        names.map((name) => dialect.accountOfStream(name)).find((each) => each !== undefined);
      return {
        interface: INTERFACE,
        account: find(),
        toFrame: (_text, name) => {
          const account = name === undefined ? undefined : dialect.accountOfStream(name);
          return { account, stream: account === undefined ? name : ACCOUNT_STREAM };
        },
        // The snapshot of a book is a REST answer.
        isSnapshot: () => false,
        // Its pings are those of the protocol.
        isHeartbeat: () => false,
        fail: failure,
      };
    },
  };
}

/**
 * A failure of the server as the interface reports it. 503 and 504 say what the client knows: the
 * request may have been carried out. Other statuses come from a gateway.
 */
function failure(status: number): ApiResponse {
  if (status === 500) return new UsdmError("-1000").toResponse();
  return status === 503 || status === 504
    ? new UsdmError("-1007", undefined, { status }).toResponse()
    : gatewayPage(status);
}
