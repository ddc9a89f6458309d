import type { Fields, Trader } from "./world.js";

export const BTC = { marketId: "btcusdc" };
/** A limit order of 3,000 quote. */
export const TERMS = {
  ...BTC,
  side: "BUY",
  orderType: "LIMIT",
  amount: "0.1",
  price: "30000",
  timeInForce: "GTC",
};

/** Has the service build an order; `change` bends its terms. */
export const build = async (trader: Trader, change: Fields = {}) =>
  trader.call("POST", "/v1/order/build", { ...TERMS, ...change });

/** The open orders of an account. */
export const open = (trader: Trader) => trader.ask("/v1/openOrders");

/** The code with which a request was refused; 200 when it was not. */
export const codeOf = ({ status, json }: { status: number; json: { code: number } }) =>
  status === 200 ? 200 : json.code;
