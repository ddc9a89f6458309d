import { keccak256 } from "../../../core/crypto/keccak.js";
import type { Hex, Ms } from "../../../core/units.js";

/**
 * Issues and checks the tokens that a small order needs to be placed as built
 * (docs/reference/exchange-interface.md#fee-rates).
 */
export class GasFeeQuotations {
  readonly #secret: () => string;
  readonly #lifeMs: Ms;

  /**
   * @param secret returns the secret that seals the tokens; called each time, since a restart
   * restores it.
   */
  constructor(secret: () => string, lifeMs: Ms) {
    this.#secret = secret;
    this.#lifeMs = lifeMs;
  }

  /** Issues a token for one order, valid for the configured life. */
  issue(orderHash: Hex, nowMs: Ms): string {
    const untilMs = nowMs + this.#lifeMs;
    return `${untilMs}.${this.#seal(orderHash, untilMs)}`;
  }

  /** True if a token was issued for exactly this order and has not expired. */
  isValid(token: string, orderHash: Hex, nowMs: Ms): boolean {
    const match = /^(\d{1,16})\.([0-9a-f]{64})$/.exec(token);
    const untilMs = Number(match?.[1]);
    return match !== null && nowMs <= untilMs && match[2] === this.#seal(orderHash, untilMs);
  }

  #seal(orderHash: Hex, untilMs: Ms): string {
    return Buffer.from(
      keccak256(Buffer.from(`${this.#secret()}|${orderHash}|${untilMs}`, "latin1")),
    ).toString("hex");
  }
}
