"""ccxt for Python, unchanged, on the dialect: only its base URLs differ. Prints what it saw.

Arguments: REST and stream address, API key, secret.
"""

import asyncio
import json
import re
import sys

import ccxt
import ccxt.pro

REST, STREAMS, KEY, SECRET = sys.argv[1:]
SYMBOL = "BTC/USDC:USDC"


async def main():
    exchange = ccxt.pro.binanceusdm(
        {
            "apiKey": KEY,
            "secret": SECRET,
            # It would ask a host of the spot market.
            "options": {"fetchCurrencies": False},
        }
    )
    api = exchange.urls["api"]
    for name, url in api.items():
        if isinstance(url, str):
            api[name] = url.replace("https://fapi.binance.com", REST)
    api["ws"]["future"] = STREAMS + "/ws"
    streamed = {"orders": [], "fills": [], "positions": []}

    async def follow(read, take):
        while True:
            for item in await read():
                take(item)

    try:
        markets = await exchange.load_markets()
        book = await exchange.watch_order_book(SYMBOL)
        seen = {"bid": book["bids"][0][0], "ask": book["asks"][0][0]}
        tasks = [
            asyncio.create_task(task)
            for task in (
                follow(
                    lambda: exchange.watch_orders(SYMBOL),
                    lambda order: streamed["orders"].append(
                        [order["clientOrderId"], order["status"]]
                    ),
                ),
                follow(
                    lambda: exchange.watch_my_trades(SYMBOL),
                    lambda trade: streamed["fills"].append(
                        [trade["order"], trade["side"], trade["amount"]]
                    ),
                ),
                follow(
                    lambda: exchange.watch_positions([SYMBOL]),
                    lambda position: streamed["positions"].append(
                        [position["contracts"], position["side"]]
                    ),
                ),
            )
        ]
        # The user stream is open once it reports an order.
        while not streamed["orders"]:
            probe = await exchange.create_order(SYMBOL, "limit", "buy", 0.01, 28000)
            await exchange.cancel_order(probe["id"], SYMBOL)
            await asyncio.sleep(0.05)
        placed = await exchange.create_order(
            SYMBOL, "limit", "buy", 0.01, 29000, {"postOnly": True, "clientOrderId": "round-1"}
        )
        open_orders = await exchange.fetch_open_orders(SYMBOL)
        cancelled = await exchange.cancel_order(placed["id"], SYMBOL)
        try:
            await exchange.create_order(SYMBOL, "limit", "buy", 0.01, 30001, {"postOnly": True})
            refused = None
        except ccxt.BaseError as error:
            refused = [type(error).__name__, re.search(r"-\d{4}", str(error)).group()]
        bought = await exchange.create_order(SYMBOL, "market", "buy", 0.02)
        order = await exchange.fetch_order(bought["id"], SYMBOL)
        trade = (await exchange.fetch_my_trades(SYMBOL))[0]
        position = (await exchange.fetch_positions([SYMBOL]))[0]
        balance = await exchange.fetch_balance()
        while not streamed["fills"] or not streamed["positions"]:
            await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        print(
            json.dumps(
                {
                    "markets": list(markets),
                    "seen": seen,
                    "placed": [
                        placed["status"],
                        placed["clientOrderId"],
                        placed["timeInForce"],
                        placed["price"],
                    ],
                    "open": [order["clientOrderId"] for order in open_orders],
                    "cancelled": cancelled["status"],
                    "refused": refused,
                    "bought": [order["status"], order["filled"], order["average"]],
                    "trade": [
                        trade["order"] == bought["id"],
                        trade["price"],
                        trade["amount"],
                        trade["fee"]["cost"],
                    ],
                    "position": [position["contracts"], position["side"], position["entryPrice"]],
                    "total": balance["USDC"]["total"],
                    "streamed": {
                        **streamed,
                        "fills": [
                            [order_id == bought["id"], side, amount]
                            for order_id, side, amount in streamed["fills"]
                        ],
                    },
                }
            )
        )
    finally:
        await exchange.close()


asyncio.run(main())
