// ccxt for JavaScript, unchanged, on the dialect: only its base URLs differ. Prints what it saw.
// Arguments: REST and stream address, API key, secret.
import ccxt from "ccxt";

const [rest, streams, apiKey, secret] = process.argv.slice(2);
const exchange = new ccxt.pro.binanceusdm({
  apiKey,
  secret,
  // Both would ask hosts of the spot market.
  options: { fetchCurrencies: false },
});
for (const [name, url] of Object.entries(exchange.urls.api)) {
  if (typeof url === "string") {
    exchange.urls.api[name] = url.replace("https://fapi.binance.com", rest);
  }
}
exchange.urls.api.ws.future = `${streams}/ws`;
// ccxt asks for this once where a stream is ws:// and not wss://.
await exchange.loadHttpProxyAgent();

const symbol = "BTC/USDC:USDC";
const streamed = { orders: [], fills: [], positions: [] };
const follow = async (read, take) => {
  try {
    for (;;) for (const item of await read()) take(item);
  } catch {
    // The client is closed at the end.
  }
};

try {
  const markets = await exchange.loadMarkets();
  const book = await exchange.watchOrderBook(symbol);
  const seen = { bid: book.bids[0][0], ask: book.asks[0][0] };
  void follow(
    () => exchange.watchOrders(symbol),
    (order) => streamed.orders.push([order.clientOrderId, order.status]),
  );
  void follow(
    () => exchange.watchMyTrades(symbol),
    (trade) => streamed.fills.push([trade.order, trade.side, trade.amount]),
  );
  void follow(
    () => exchange.watchPositions([symbol]),
    ({ contracts, side }) => streamed.positions.push([contracts, side]),
  );
  // The user stream is open once it reports an order.
  while (streamed.orders.length === 0) {
    const probe = await exchange.createOrder(symbol, "limit", "buy", 0.01, 28000);
    await exchange.cancelOrder(probe.id, symbol);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const placed = await exchange.createOrder(symbol, "limit", "buy", 0.01, 29000, {
    postOnly: true,
    clientOrderId: "round-1",
  });
  const open = await exchange.fetchOpenOrders(symbol);
  const cancelled = await exchange.cancelOrder(placed.id, symbol);
  const refused = await exchange
    .createOrder(symbol, "limit", "buy", 0.01, 30001, { postOnly: true })
    .catch((error) => [error.constructor.name, /-\d{4}/.exec(error.message)?.[0]]);
  const bought = await exchange.createOrder(symbol, "market", "buy", 0.02);
  const order = await exchange.fetchOrder(bought.id, symbol);
  const [trade] = await exchange.fetchMyTrades(symbol);
  const [position] = await exchange.fetchPositions([symbol]);
  const balance = await exchange.fetchBalance();
  while (streamed.fills.length === 0 || streamed.positions.length === 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  console.log(
    JSON.stringify({
      markets: Object.keys(markets),
      seen,
      placed: [placed.status, placed.clientOrderId, placed.timeInForce, placed.price],
      open: open.map(({ clientOrderId }) => clientOrderId),
      cancelled: cancelled.status,
      refused,
      bought: [order.status, order.filled, order.average],
      trade: [trade.order === bought.id, trade.price, trade.amount, trade.fee.cost],
      position: [position.contracts, position.side, position.entryPrice],
      total: balance.USDC.total,
      streamed: {
        ...streamed,
        fills: streamed.fills.map(([id, side, amount]) => [id === bought.id, side, amount]),
      },
    }),
  );
} finally {
  await exchange.close();
}
process.exit(0);
