import { RunError } from "../../core/errors.js";
import type { DomainDifference } from "../signing/domain-check.js";
import type { FilterViolation } from "../signing/filters.js";

/**
 * The exchange's EIP-712 constants differ from our own computation, so no order is signed under
 * them.
 * @example
 * ```ts
 * import { DomainError, ORDER_TYPE_HASH } from "marketwright/exchange";
 *
 * const error = new DomainError([
 *   { field: "EIP712_ORDER_TYPE", value: "0x00", expected: ORDER_TYPE_HASH },
 * ]);
 * error.field; // => "EIP712_ORDER_TYPE"
 * error.value; // => "0x00"
 * ```
 */
export class DomainError extends RunError {
  readonly differences: readonly DomainDifference[];

  constructor(differences: readonly DomainDifference[]) {
    const [first] = differences;
    super("the exchange's signing domain does not match its parts: nothing is signed", {
      field: first?.field ?? "eip712",
      value: first?.value,
      expected: first?.expected ?? "the value that the client computes",
    });
    this.differences = differences;
  }
}

/**
 * An order would violate filters of its market
 * (docs/reference/exchange-interface.md#market-fields): it was not sent.
 * @example
 * ```ts
 * import { OrderFilterError } from "marketwright/exchange";
 *
 * const error = new OrderFilterError([
 *   { filter: "AMOUNT_FILTER", field: "lots", value: 0, expected: "1 to 1000 lots" },
 * ]);
 * error.breaches.map(({ filter }) => filter); // => ["AMOUNT_FILTER"]
 * error.value; // => 0
 * ```
 */
export class OrderFilterError extends RunError {
  readonly breaches: readonly FilterViolation[];

  constructor(breaches: readonly FilterViolation[]) {
    const [first] = breaches;
    super(`the order breaks ${breaches.map(({ filter }) => filter).join(" and ")}`, {
      field: first?.field ?? "order",
      value: first?.value,
      expected: first?.expected ?? "an order within the market's filters",
    });
    this.breaches = breaches;
  }
}

/**
 * The exchange built, or accepted, another order than the requested one. A built one was not
 * signed.
 * @example
 * ```ts
 * import { BuiltOrderError } from "marketwright/exchange";
 *
 * const error = new BuiltOrderError("the exchange built another order", [
 *   "paperAmount is 2, expected 1",
 * ]);
 * error.differences; // => ["paperAmount is 2, expected 1"]
 * error.field; // => "order"
 * ```
 */
export class BuiltOrderError extends RunError {
  /** One text per differing field. */
  readonly differences: readonly string[];

  constructor(summary: string, differences: readonly string[]) {
    super(summary, { field: "order", expected: differences.join("; ") });
    this.differences = differences;
  }
}
