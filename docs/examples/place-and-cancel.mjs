// A whole round against an exchange: read the market, follow its book, place an order both ways, watch the account's own stream, read
// the account's trades page by page, cancel.
//
//   npx marketwright exchange &
//   node docs/examples/place-and-cancel.mjs
//
// EXCHANGE_URL and MARKETWRIGHT_KEY name another exchange and account. The default key is one that everybody knows: for trying alone.
import { connect, LocalBook } from "marketwright/exchange";
import { filter, firstValueFrom, tap } from "rxjs";

const { client, streams, close } = await connect({
  baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
  key:
    process.env.MARKETWRIGHT_KEY ??
    "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
});

try {
  // An account that is registered already is refused with 2018, and that is fine here.
  await client.registerAccount().catch((error) => {
    if (error.code !== 2018) throw error;
  });

  const { markets } = await client.exchangeInfo();
  const market = markets[0];
  const priceFilter = market.filters.find(({ filterType }) => filterType === "PRICE_FILTER");
  const amountFilter = market.filters.find(({ filterType }) => filterType === "AMOUNT_FILTER");
  console.log(
    `market ${market.id}: tick ${priceFilter.tickSize}, step ${amountFilter.stepSize}, maker fee ${market.makerFee}`,
  );

  const book = new LocalBook();
  const following = streams.orderbook$(market.id).pipe(tap((event) => book.apply(event)));
  await firstValueFrom(following.pipe(filter(({ type }) => type === "book-snapshot")));
  const [bestBid] = book.bids(1);
  const [bestAsk] = book.asks(1);
  console.log(`book ${book.sequence}: ${bestBid?.[0] ?? "no bid"} / ${bestAsk?.[0] ?? "no ask"}`);

  // The stream is open before the order leaves, so that nothing of its life is missed.
  const orders = [];
  const account = streams.account$({ marketId: market.id });
  const watching = await new Promise((resolve) => {
    const subscription = account.subscribe((event) => {
      if (event.type === "up") resolve(subscription);
      if (event.type === "order") orders.push(event.order);
    });
  });

  // Three quarters of the best bid, on the tick: an order that rests.
  const reference = bestBid?.[0] ?? bestAsk?.[0] ?? priceFilter.minPrice;
  const price = reference
    .times("0.75")
    .div(priceFilter.tickSize)
    .ceil()
    .times(priceFilter.tickSize);
  const amount = amountFilter.minAmount.times(10);
  const order = { marketId: market.id, side: "BUY", amount, price, timeInForce: "GTC" };

  // Built here: the hash is known before anything is sent.
  const prepared = await client.prepare(order);
  const local = await client.send(prepared);
  console.log(
    `placed ${local.id} at ${local.price}, built here, hash ${local.hash === prepared.hash ? "as prepared" : "of another"}`,
  );

  // Built by the exchange, and checked before it is signed.
  const other = await connect({
    baseUrl: process.env.EXCHANGE_URL ?? "http://127.0.0.1:8620/v1",
    key:
      process.env.MARKETWRIGHT_KEY ??
      "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
    gate: client.gate,
    orders: { placement: "server" },
  });
  const built = await other.client.place(order);
  console.log(`placed ${built.id} at ${built.price}, built by the exchange`);
  other.close();

  let trades = 0;
  for await (const trade of client.all.userTrades({ marketId: market.id })) {
    trades += 1;
    if (trades <= 3)
      console.log(
        `trade ${trade.id}: ${trade.isBuyer ? "bought" : "sold"} ${trade.amount} at ${trade.price}`,
      );
  }
  console.log(`${trades} trades of the account`);

  await client.cancelOrder({ marketId: market.id, orderId: local.id });
  await client.cancelAllOpenOrders({ marketId: market.id });
  const left = await client.openOrders({ marketId: market.id });
  while (!orders.some(({ id, status }) => id === built.id && status === "CANCELED")) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  watching.unsubscribe();
  console.log(
    `cancelled: ${left.length} orders left; the stream told of ${new Set(orders.map(({ id }) => id)).size} orders`,
  );
} finally {
  close();
}
