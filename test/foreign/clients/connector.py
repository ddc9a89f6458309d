"""A client as a trading framework's connector on aiohttp is one: one SUBSCRIBE for all its streams, and `.json()` on every answer.

usage: connector.py REST_URL STREAM_URL PRIVATE_KEY MARKET_ID
STREAM_URL is dialled as it is given. Prints what it saw as JSON.
"""

import asyncio
import json
import sys
import time
from urllib.parse import urlencode

import aiohttp
from eth_keys import keys
from eth_utils import keccak


class Connector:
    def __init__(self, session, rest_url, key):
        self.session = session
        self.rest_url = rest_url
        self.key = keys.PrivateKey(bytes.fromhex(key.removeprefix("0x")))
        self.address = self.key.public_key.to_checksum_address()

    def signed(self, **params):
        params = {key: str(value) for key, value in params.items()}
        params.update(account=self.address, timestamp=str(int(time.time() * 1000)))
        text = urlencode(sorted(params.items()))
        digest = keccak(f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode())
        signature = self.key.sign_msg_hash(digest).to_bytes()
        return dict(params, signature="0x" + (signature[:64] + bytes([27 + signature[64]])).hex())

    async def call(self, method, path, **params):
        carrier = {"data": params} if method == "POST" else {"params": params}
        async with self.session.request(method, self.rest_url + path, **carrier) as response:
            # aiohttp refuses any content type but JSON here, with or without a body.
            return response.status, await response.json()

    async def order(self, **terms):
        _, built = await self.call("POST", "/order/build", **self.signed(**terms))
        signature = self.key.sign_msg_hash(bytes.fromhex(built["orderHash"].removeprefix("0x"))).to_bytes()
        order_signature = "0x" + (signature[:64] + bytes([27 + signature[64]])).hex()
        quoted = {"info": built["order"]["info"], "gasFeeQuotation": built["gasFeeQuotation"], "orderHash": built["orderHash"]}
        return await self.call("POST", "/order", **self.signed(**terms, **quoted, orderSignature=order_signature))

    async def ready(self, market_id):
        """The funding record that a connector begins with, and the candle whose close it takes for the price."""
        _, records = await self.call("GET", "/fundingRate", marketId=market_id, limit=1)
        for _ in range(600):
            _, candles = await self.call("GET", "/klines", marketId=market_id, interval="1M", limit=1)
            if candles:
                break
            await asyncio.sleep(0.1)
        return records, candles


async def record(socket):
    """The next message that is no ping, which is answered."""
    while True:
        message = await socket.receive(timeout=120)
        if message.type != aiohttp.WSMsgType.TEXT:
            raise RuntimeError(f"the stream ended: {message}")
        if message.data == "ping":
            await socket.send_str("pong")
            continue
        return json.loads(message.data)


async def frames(socket, wanted):
    """Reads until each wanted channel has come: by the end of a stream's name, its event, or the code of an error."""
    seen = []
    while not wanted <= {channel for channel, _ in seen}:
        frame = await record(socket)
        if "stream" in frame:
            kind = frame["stream"].split("@")[1]
            seen.append((frame["data"]["event"] if kind == "orderbook" else kind, frame))
        else:
            seen.append((f"code {frame['code']}" if "code" in frame else "acknowledged", frame))
    return seen


async def position_of(socket):
    """The first position that the account stream tells of."""
    while True:
        event = await record(socket)
        if event["event"] == "ACCOUNT_UPDATE" and event["positions"]:
            return event["positions"][0]


async def main(rest_url, stream_url, key, market_id):
    async with aiohttp.ClientSession() as session:
        connector = Connector(session, rest_url, key)
        seen = {"address": connector.address, "registered": await connector.call("POST", "/account", **connector.signed())}
        seen["funding"], seen["candles"] = await connector.ready(market_id)

        async with session.ws_connect(stream_url) as market:
            names = [f"{market_id}@{kind}" for kind in ("market", "orderbook", "ticker")]
            await market.send_json({"id": 1, "method": "SUBSCRIBE", "params": names})
            seen["three"] = await frames(market, {"market", "snapshot", "update"})
            await market.send_json({"id": 2, "method": "SUBSCRIBE", "params": [f"{market_id}@trade"]})
            seen["trades"] = [pair for pair in await frames(market, {"trades"}) if pair[0] in ("trades", "acknowledged")]

        signed = connector.signed()
        account_url = rest_url.replace("http", "ws", 1) + f"/single/account@{connector.address}"
        query = {"timestamp": signed["timestamp"], "signature": signed["signature"]}
        terms = {"marketId": market_id, "side": "BUY", "orderType": "LIMIT", "amount": "0.01"}
        async with session.ws_connect(account_url, params=query) as account:
            seen["bought"] = await connector.order(**terms, price="90000", timeInForce="IOC")
            seen["position"] = await position_of(account)

        seen["placed"] = await connector.order(**terms, price="30000", timeInForce="GTC")
        order_id = seen["placed"][1].get("id", 0)
        seen["cancelled"] = await connector.call("DELETE", "/order", **connector.signed(marketId=market_id, orderId=order_id))
        seen["cancelledAll"] = await connector.call("DELETE", "/allOpenOrders", **connector.signed())
        seen["volume"] = await connector.call("GET", "/platform/tradeVolume", marketId=market_id)
        print(json.dumps(seen))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
