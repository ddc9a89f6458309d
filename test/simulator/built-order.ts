import type { Answer, ReferenceClient } from "./reference-client.js";

/**
 * Builds an order with its quoted gas fee.
 * @returns the response
 */
export function build(
  client: ReferenceClient,
  terms: Readonly<Record<string, string>>,
): Answer["json"] {
  return client.call("POST", "/v1/order/build", terms).json;
}

/** Places an order as built, except for `change`. */
export function placeBuilt(
  client: ReferenceClient,
  terms: Readonly<Record<string, string>>,
  built: Answer["json"],
  change: Readonly<Record<string, string | undefined>> = {},
): Answer {
  return client.call("POST", "/v1/order", {
    ...terms,
    info: built.order.info,
    orderSignature: client.order("BUY", "1", "1").orderSignature,
    gasFeeQuotation: built.gasFeeQuotation,
    ...change,
  });
}
