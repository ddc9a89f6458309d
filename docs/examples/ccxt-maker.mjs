// A market maker of ten rounds with ccxt, to be put under faults (docs/reference/ccxt-under-faults.md).
// It makes a common mistake: an order whose answer it did not get does not exist for it.
// Arguments: the REST address of the dialect, an API key and its secret.
import ccxt from "ccxt";

const [rest, apiKey, secret] = process.argv.slice(2);
const symbol = "BTC/USDC:USDC";
const exchange = new ccxt.binanceusdm({
  apiKey,
  secret,
  timeout: 5000,
  // It would ask a host of the spot market.
  options: { fetchCurrencies: false },
});
for (const [name, url] of Object.entries(exchange.urls.api)) {
  if (typeof url === "string") {
    exchange.urls.api[name] = url.replace("https://fapi.binance.com", rest);
  }
}

/** Orders whose answers it got and that it has not cancelled. */
const known = new Set();
/** Its position by the answers to its market orders. */
let position = 0;

async function attempt(name, work) {
  try {
    return await work();
  } catch (error) {
    console.log(`${name}: ${error.constructor.name}`);
    return undefined;
  }
}

await exchange.loadMarkets();
for (let round = 1; round <= 10; round++) {
  for (const id of known) {
    if (await attempt(`round ${round} cancel`, () => exchange.cancelOrder(id, symbol))) {
      known.delete(id);
    }
  }
  const { bids, asks } = await exchange.fetchOrderBook(symbol, 5);
  const quotes = { buy: bids[0][0] * 0.99, sell: asks[0][0] * 1.01 };
  for (const [side, price] of Object.entries(quotes)) {
    const order = await attempt(`round ${round} ${side}`, () =>
      exchange.createOrder(symbol, "limit", side, 0.01, price, { postOnly: true }),
    );
    if (order !== undefined) known.add(order.id);
  }
  const bought = await attempt(`round ${round} market buy`, () =>
    exchange.createOrder(symbol, "market", "buy", 0.001),
  );
  if (bought !== undefined) position += bought.filled;
}

const open = await exchange.fetchOpenOrders(symbol);
const [held] = await exchange.fetchPositions([symbol]);
const unknown = open.filter(({ id }) => !known.has(id));
console.log(`open orders that it knows: ${known.size}, that it does not know: ${unknown.length}`);
console.log(
  `position by its answers: ${position.toFixed(3)}, at the exchange: ${held?.contracts ?? 0}`,
);
await exchange.close();
