import type { Ms } from "../../../core/units.js";
import { UsdmError } from "./usdm-error.js";

type Headers = Readonly<Record<string, string>>;

/** The refusal of an address that is over its request weight: -1003 with 429. */
export function tooManyRequests(ip: string, weightPerMinute: number, headers: Headers): UsdmError {
  return new UsdmError(
    "-1003",
    `Too many requests; current limit of IP(${ip}) is ${weightPerMinute} requests per minute. Please use the websocket for live updates to avoid polling the API.`,
    { headers },
  );
}

/** The refusal of a banned address: -1003 with 418. */
export function bannedUntil(ip: string, untilMs: Ms, headers: Headers): UsdmError {
  return new UsdmError(
    "-1003",
    `Way too many requests; IP(${ip}) banned until ${untilMs}. Please use the websocket for live updates to avoid bans.`,
    { status: 418, headers },
  );
}
