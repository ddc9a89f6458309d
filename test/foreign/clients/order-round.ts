// An order round by a client whose types are generated from /openapi.json (openapi-typescript, openapi-fetch) and whose keys are viem's.
// usage: node order-round.js ORIGIN PRIVATE_KEY MARKET_ID PRICE AMOUNT
import createClient from "openapi-fetch";
import { type Hex, isHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { components, paths } from "./exchange.js";

const [origin = "", key = "", marketId = "", price = "", amount = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: origin });
const wallet = privateKeyToAccount(hex(key));
// Does not compile where a level of the book is not generated as a pair.
const isPair: components["schemas"]["OrderBook"]["bids"][number] extends [string, string]
  ? true
  : false = true;
const ORDER = [
  "perp:address",
  "signer:address",
  "paperAmount:int128",
  "creditAmount:int128",
  "info:bytes32",
];

function hex(text: string): Hex {
  if (!isHex(text)) throw new Error(`${text} is not hex`);
  return text;
}

function done<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

async function signed<Params extends Record<string, string | number>>(params: Params) {
  const all = { ...params, account: wallet.address, timestamp: Date.now() };
  const pairs = Object.entries(all).map(([name, value]): [string, string] => [name, String(value)]);
  const message = new URLSearchParams(
    pairs.sort(([one], [other]) => (one < other ? -1 : 1)),
  ).toString();
  return { ...all, signature: await wallet.signMessage({ message }) };
}

async function signOrder(
  order: components["schemas"]["OrderStruct"],
  eip712: components["schemas"]["ExchangeInfo"]["eip712"],
): Promise<Hex> {
  return wallet.signTypedData({
    domain: {
      name: eip712.domainName,
      version: eip712.domainVersion,
      chainId: eip712.chainId,
      verifyingContract: hex(eip712.verifyingContract),
    },
    types: {
      Order: ORDER.map((field) => ({
        name: field.split(":")[0] ?? "",
        type: field.split(":")[1] ?? "",
      })),
    },
    primaryType: "Order",
    message: {
      ...order,
      paperAmount: BigInt(order.paperAmount),
      creditAmount: BigInt(order.creditAmount),
    },
  });
}

const { eip712, markets } = done(await api.GET("/v1/exchangeInfo"));
const registered = done(await api.POST("/v1/account", { body: await signed({}) }));
const terms = {
  marketId,
  side: "BUY",
  orderType: "LIMIT",
  amount,
  price,
  timeInForce: "GTC",
} as const;
const built = done(await api.POST("/v1/order/build", { body: await signed(terms) }));
const placement = {
  ...terms,
  orderSignature: await signOrder(built.order, eip712),
  info: built.order.info,
  gasFeeQuotation: built.gasFeeQuotation,
};
const placed = done(await api.POST("/v1/order", { body: await signed(placement) }));
const book = done(await api.GET("/v1/orderbook", { params: { query: { marketId, limit: 10 } } }));
const best = book.bids[0];
const open = done(
  await api.GET("/v1/openOrders", { params: { query: await signed({ marketId }) } }),
);
const cancel = async () =>
  api.DELETE("/v1/order", { params: { query: await signed({ marketId, orderId: placed.id }) } });
const cancelled = (await cancel()).response.status;
const again = await cancel();
const history = done(
  await api.GET("/v1/historyOrders", { params: { query: await signed({ marketId }) } }),
);
const { balances } = done(await api.GET("/v1/balances", { params: { query: await signed({}) } }));

console.log(
  JSON.stringify({
    markets: markets.map(({ id }) => id),
    address: wallet.address,
    registered: registered.address,
    placed: [placed.side, placed.price, placed.amount, placed.hash === built.orderHash],
    best,
    isPair,
    open: open.map(({ id }) => id === placed.id),
    cancelled,
    cancelledAgain: [again.response.status, again.error?.code],
    history: history.map(({ id, status }) => [id === placed.id, status]),
    netValue: balances.netValue,
  }),
);
