import { MINUTE_MS, type Ms } from "../../../core/units.js";
import type { UsdmConfig } from "./usdm-config.js";
import { UsdmError } from "./usdm-error.js";
import { bannedUntil, tooManyRequests } from "./usdm-rate-errors.js";

/** The part of a count's window that has passed, and what was counted in it. */
interface Window {
  startMs: Ms;
  count: number;
}

interface Address {
  readonly weight: Window;
  refused: number;
  bannedUntilMs: Ms;
}

const TEN_SECONDS_MS = 10_000;

/**
 * Request weights of an address and new orders of an account, in windows of whole minutes and ten
 * seconds since the epoch. Over the limit a request gets 429; an address that goes on gets 418.
 */
export class UsdmRateLimits {
  readonly #config: UsdmConfig["rateLimits"];
  readonly #addresses = new Map<string, Address>();
  readonly #orders = new Map<string, { readonly minute: Window; readonly tenSeconds: Window }>();
  #sweptMs: Ms = 0;

  constructor(config: UsdmConfig["rateLimits"]) {
    this.#config = config;
  }

  /**
   * Counts a request.
   * @returns the weight that the address has used in this minute.
   * @throws UsdmError -1003, with 429 or 418
   */
  admit(ip: string, weight: number, nowMs: Ms): number {
    this.#forgetIdle(nowMs);
    const address = this.#address(ip);
    this.requireNotBanned(ip, nowMs);
    const used = inWindow(address.weight, MINUTE_MS, nowMs);
    if (used.startMs !== address.weight.startMs) address.refused = 0;
    Object.assign(address.weight, used);
    const { weightPerMinute, requestsBeforeBan, banMs } = this.#config;
    if (address.weight.count + weight <= weightPerMinute) {
      address.weight.count += weight;
      return address.weight.count;
    }
    address.refused += 1;
    if (address.refused > requestsBeforeBan) {
      address.refused = 0;
      address.bannedUntilMs = nowMs + banMs;
      this.requireNotBanned(ip, nowMs);
    }
    throw tooManyRequests(ip, weightPerMinute, {
      "retry-after": secondsUntil(address.weight.startMs + MINUTE_MS, nowMs),
      "x-mbx-used-weight-1m": String(address.weight.count),
    });
  }

  /** @throws UsdmError -1003 with 418 while the address is banned */
  requireNotBanned(ip: string, nowMs: Ms): void {
    const untilMs = this.#addresses.get(ip)?.bannedUntilMs ?? 0;
    if (nowMs >= untilMs) return;
    throw bannedUntil(ip, untilMs, { "retry-after": secondsUntil(untilMs, nowMs) });
  }

  /**
   * Counts new orders of an account.
   * @returns the headers of the response.
   * @throws UsdmError -1015
   */
  admitOrders(account: string, count: number, nowMs: Ms): Readonly<Record<string, string>> {
    const found = this.#orders.get(account) ?? {
      minute: { startMs: 0, count: 0 },
      tenSeconds: { startMs: 0, count: 0 },
    };
    this.#orders.set(account, found);
    Object.assign(found.minute, inWindow(found.minute, MINUTE_MS, nowMs));
    Object.assign(found.tenSeconds, inWindow(found.tenSeconds, TEN_SECONDS_MS, nowMs));
    const { ordersPerMinute, ordersPer10Seconds } = this.#config;
    const refuse = (limit: number, interval: string, window: Window, lengthMs: Ms) =>
      new UsdmError(
        "-1015",
        `Too many new orders; current limit is ${limit} orders per ${interval}.`,
        { headers: { "retry-after": secondsUntil(window.startMs + lengthMs, nowMs) } },
      );
    if (found.tenSeconds.count + count > ordersPer10Seconds)
      throw refuse(ordersPer10Seconds, "10 SECOND", found.tenSeconds, TEN_SECONDS_MS);
    if (found.minute.count + count > ordersPerMinute)
      throw refuse(ordersPerMinute, "MINUTE", found.minute, MINUTE_MS);
    found.minute.count += count;
    found.tenSeconds.count += count;
    return {
      "x-mbx-order-count-10s": String(found.tenSeconds.count),
      "x-mbx-order-count-1m": String(found.minute.count),
    };
  }

  #address(ip: string): Address {
    let address = this.#addresses.get(ip);
    if (address === undefined) {
      address = { weight: { startMs: 0, count: 0 }, refused: 0, bannedUntilMs: 0 };
      this.#addresses.set(ip, address);
    }
    return address;
  }

  /** Runs once a minute, so that addresses that left do not stay in memory. */
  #forgetIdle(nowMs: Ms): void {
    if (nowMs - this.#sweptMs < MINUTE_MS) return;
    this.#sweptMs = nowMs;
    for (const [ip, { weight, bannedUntilMs }] of this.#addresses) {
      if (weight.startMs + MINUTE_MS <= nowMs && bannedUntilMs <= nowMs) this.#addresses.delete(ip);
    }
  }
}

function inWindow(window: Window, lengthMs: Ms, nowMs: Ms): Window {
  const startMs = nowMs - (nowMs % lengthMs);
  return window.startMs === startMs ? window : { startMs, count: 0 };
}

function secondsUntil(untilMs: Ms, nowMs: Ms): string {
  return String(Math.max(1, Math.ceil((untilMs - nowMs) / 1000)));
}
