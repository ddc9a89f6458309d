import type { VenueRules } from "../records.js";
import { DOMAIN_TYPE_HASH, domainSeparator, ORDER_TYPE_HASH } from "./order-signing.js";

/**
 * A constant of the exchange that differs from our own computation: no order may be signed under
 * it.
 */
export interface DomainDifference {
  /** Name on the wire. */
  readonly field: "EIP712_DOMAIN_SEPARATOR" | "EIP712_DOMAIN_TYPEHASH" | "EIP712_ORDER_TYPE";
  /** The exchange's value. */
  readonly value: string;
  /** Our value. */
  readonly expected: string;
}

/**
 * Compares the exchange's EIP-712 constants with our own
 * (docs/reference/exchange-interface.md#order-construction). Empty when all agree.
 * @example
 * ```ts
 * import { checkDomain, connect, decodeRules } from "marketwright/exchange";
 *
 * const { client, close } = await connect({
 *   baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
 * });
 * const rules = decodeRules(await client.call("exchangeInfo"), ["btcusdc"]);
 * close();
 * checkDomain(rules); // => []
 * ```
 */
export function checkDomain(rules: VenueRules): DomainDifference[] {
  const { eip712 } = rules;
  const compared: DomainDifference[] = [
    {
      field: "EIP712_DOMAIN_SEPARATOR",
      value: eip712.domainSeparator,
      expected: domainSeparator(eip712),
    },
    { field: "EIP712_DOMAIN_TYPEHASH", value: eip712.domainTypeHash, expected: DOMAIN_TYPE_HASH },
    { field: "EIP712_ORDER_TYPE", value: eip712.orderTypeHash, expected: ORDER_TYPE_HASH },
  ];
  return compared.filter(({ value, expected }) => value.toLowerCase() !== expected);
}
