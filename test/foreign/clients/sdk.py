"""A client as the official Python SDK is one: form bodies, signatures as hex digits without 0x, v 27 or 28, orders built by the service.

usage: sdk.py BASE_URL PRIVATE_KEY MARKET_ID
Registers and trades at once, then places an order and cancels it; prints what it saw as JSON.
"""

import json
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from eth_keys import keys
from eth_utils import keccak

HEADERS = {"Content-type": "application/x-www-form-urlencoded", "User-Agent": "Mozilla/5.0"}


class Sdk:
    def __init__(self, base_url, key):
        self.base_url = base_url
        self.key = keys.PrivateKey(bytes.fromhex(key.removeprefix("0x")))
        self.address = self.key.public_key.to_checksum_address()
        self.sent = []

    def sign(self, digest):
        signature = self.key.sign_msg_hash(digest).to_bytes()
        text = (signature[:64] + bytes([27 + signature[64]])).hex()
        self.sent.append(text)
        return text

    def request(self, method, path, text):
        body = text.encode() if method == "POST" else None
        url = self.base_url + path + ("?" + text if text and body is None else "")
        try:
            with urlopen(Request(url, data=body, method=method, headers=HEADERS), timeout=60) as answer:
                raw = answer.read()
                return answer.status, json.loads(raw) if raw else None
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def public(self, path, **params):
        return self.request("GET", path, urlencode(params))

    def private(self, method, path, **params):
        params = {"account": self.address, **params, "timestamp": int(time.time() * 1000)}
        text = urlencode(sorted(params.items()))
        digest = keccak(f"\x19Ethereum Signed Message:\n{len(text)}{text}".encode())
        return self.request(method, path, f"{text}&signature={self.sign(digest)}")

    def order(self, **terms):
        status, built = self.private("POST", "/order/build", **terms)
        if status != 200:
            return status, built
        signed = self.sign(bytes.fromhex(built["orderHash"].removeprefix("0x")))
        quoted = {"info": built["order"]["info"], "gasFeeQuotation": built["gasFeeQuotation"], "orderSignature": signed}
        return self.private("POST", "/order", **terms, **quoted)


def settled(sdk, market_id):
    """The first trade once the chain has it; a trade that fails there ends the wait as well."""
    for _ in range(600):
        _, trades = sdk.private("GET", "/userTrades", marketId=market_id)
        if trades and trades[0]["status"] != "CREATED":
            return trades[0]["status"]
        time.sleep(0.2)
    return "CREATED"


def main(base_url, key, market_id):
    sdk = Sdk(base_url, key)
    seen = {"address": sdk.address, "registered": sdk.private("POST", "/account")}
    terms = {"marketId": market_id, "orderType": "LIMIT", "amount": 0.01}
    seen["bought"] = sdk.order(**terms, side="BUY", price=90000, timeInForce="IOC")
    seen["settled"] = settled(sdk, market_id)
    seen["placed"] = sdk.order(**terms, side="BUY", price=30000, timeInForce="GTC")
    order_id = seen["placed"][1].get("id", 0)
    seen["open"] = sdk.private("GET", "/openOrders", marketId=market_id)
    seen["cancelled"] = sdk.private("DELETE", "/order", marketId=market_id, orderId=order_id)
    seen["history"] = sdk.private("GET", "/historyOrders", marketId=market_id)
    seen["markKlines"] = sdk.public("/offchainMarkPriceWithVolKlines", marketId=market_id, interval="1M")
    seen["klines"] = sdk.public("/klines", marketId=market_id, interval="1M")
    seen["balances"] = sdk.private("GET", "/balances")
    seen["sent"] = sdk.sent
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
