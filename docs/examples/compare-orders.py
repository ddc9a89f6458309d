"""Compares a bot's own record of its orders with the exchange's, over the dialect binance-usdm.

Arguments: address of the dialect, API key, secret, and the file that the bot wrote.
"""

import hashlib
import hmac
import json
import sys
import time
import urllib.parse
import urllib.request
from collections import defaultdict

URL, KEY, SECRET, RECORD = sys.argv[1:]
# The exchange is at a loopback address, whatever proxy the machine has.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def get(path, **values):
    query = urllib.parse.urlencode({**values, "timestamp": int(time.time() * 1000)})
    signature = hmac.new(SECRET.encode(), query.encode(), hashlib.sha256).hexdigest()
    request = urllib.request.Request(
        f"{URL}{path}?{query}&signature={signature}", headers={"X-MBX-APIKEY": KEY}
    )
    with opener.open(request) as answer:
        return json.load(answer)


def view(status, filled):
    return f"{status} {float(filled):g}"


with open(RECORD) as file:
    record = json.load(file)
bot, exchange = defaultdict(list), defaultdict(list)
for order in record["orders"]:
    bot[order["clientOrderId"]].append(view(order["status"], order["filled"]))
# At most the last thousand orders.
for order in get("/fapi/v1/allOrders", symbol="BTCUSDC", limit=1000):
    exchange[order["clientOrderId"]].append(view(order["status"], order["executedQty"]))
(position,) = get("/fapi/v2/positionRisk", symbol="BTCUSDC")

for name in sorted({*bot, *exchange}):
    if bot[name] != exchange[name]:
        ours, theirs = (", ".join(views) or "unknown" for views in (bot[name], exchange[name]))
        print(f"{name}: bot {ours}; exchange {theirs}")
ours, theirs = (sum(map(len, orders.values())) for orders in (bot, exchange))
print(f"orders: bot {ours}, exchange {theirs}")
print(
    f"position: bot {float(record['position']):g}, exchange {float(position['positionAmt']):g}"
)
