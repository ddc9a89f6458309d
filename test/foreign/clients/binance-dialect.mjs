// The npm package `binance`, unchanged, on the dialect: only its base URLs differ. Prints what it
// saw. Arguments: REST and stream address, API key, secret.
import { USDMClient, WebsocketClient } from "binance";

const [baseUrl, wsUrl, api_key, api_secret] = process.argv.slice(2);
const quiet = { trace() {}, info() {}, error() {} };
const keys = { api_key, api_secret };
const client = new USDMClient({ ...keys, baseUrl });
const sockets = new WebsocketClient(
  { ...keys, wsUrl, restOptions: { ...keys, baseUrl }, ...keys },
  quiet,
);

const symbol = "BTCUSDC";
const messages = [];
sockets.on("message", (message) => messages.push(message));
sockets.on("exception", (error) => console.error(error));
const arrived = async (test) => {
  for (;;) {
    const found = messages.find(test);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

const { symbols } = await client.getExchangeInfo();
await sockets.subscribe([`${symbol.toLowerCase()}@depth20@100ms`], "usdmPublic");
await sockets.subscribeUsdFuturesUserDataStream();
// The user stream is open by the time at which the second order's events must arrive.
const order = { symbol, side: "BUY", type: "LIMIT", timeInForce: "GTX", quantity: 0.01 };
const placed = await client.submitNewOrder({ ...order, price: 29000, newClientOrderId: newId(1) });
const open = await client.getAllOpenOrders({ symbol });
const cancelled = await client.cancelOrder({ symbol, orderId: placed.orderId });
const refused = await client.submitNewOrder({ ...order, price: 30001 }).catch(({ code }) => code);
const book = await arrived(({ e }) => e === "depthUpdate");
await new Promise((resolve) => setTimeout(resolve, 500));
const bought = await client.submitNewOrder({
  symbol,
  side: "BUY",
  type: "MARKET",
  quantity: 0.02,
  newOrderRespType: "RESULT",
});
const event = await arrived(({ e, o }) => e === "ORDER_TRADE_UPDATE" && o.x === "TRADE");
const [trade] = await client.getAccountTrades({ symbol });
const [position] = await client.getPositionsV3({ symbol });
const [balance] = await client.getBalanceV3();
console.log(
  JSON.stringify({
    markets: symbols.map((market) => market.symbol),
    book: [book.s, book.b.length > 0, book.a.length > 0],
    placed: [placed.status, placed.clientOrderId === newId(1), placed.timeInForce],
    open: open.map(({ orderId }) => orderId === placed.orderId),
    cancelled: cancelled.status,
    refused,
    bought: [bought.status, bought.executedQty, bought.avgPrice],
    event: [event.o.i === bought.orderId, event.o.X, event.o.l],
    trade: [trade.orderId === bought.orderId, trade.price, trade.qty],
    position: [position.positionAmt, position.entryPrice],
    asset: balance.asset,
  }),
);
process.exit(0);

/** Ids have the prefix that the package demands. */
function newId(number) {
  return `x-15PC4ZJy${number}`;
}
