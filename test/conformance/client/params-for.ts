import type { OperationParameter } from "#exchange/parameters.js";

/**
 * Well-formed values for the parameters of an operation, whether or not the exchange accepts them.
 */
const VALUES = {
  interval: "1M",
  orderId: "1",
  side: "BUY",
  orderType: "LIMIT",
  amount: "1",
  price: "1",
  timeInForce: "GTC",
  orderSignature: "0x00",
  info: "0x00",
};

/** Those of an operation's parameters that have a value here or in `own`. */
export function paramsFor(
  parameters: readonly OperationParameter[],
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const wanted = Object.entries({ ...VALUES, ...own }).filter(([key]) =>
    parameters.some(({ name }) => name === key),
  );
  return Object.fromEntries(wanted);
}
