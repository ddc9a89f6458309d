"""A client of the exchange in another language: Python's own library for HTTP, eth_account for signatures, nothing of this project.

usage: client.py BASE_URL PRIVATE_KEY MARKET_ID PRICE AMOUNT
Registers, places one order built by the service and one built here, lists, cancels both ways, and prints what it saw as JSON.
"""

import json
import secrets
import sys
import time
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from eth_utils import keccak

FIELDS = {"perp": "address", "signer": "address", "paperAmount": "int128", "creditAmount": "int128", "info": "bytes32"}
TWENTY_YEARS_S = 20 * 365 * 86_400


class Client:
    def __init__(self, base_url, key):
        self.base_url = base_url
        self.wallet = Account.from_key(key)
        self.info = self.request("GET", "/exchangeInfo")[1]

    def request(self, method, path, text=""):
        body = text.encode() if method == "POST" else None
        url = self.base_url + path + ("?" + text if text and body is None else "")
        request = Request(url, data=body, method=method, headers={"Content-Type": "application/x-www-form-urlencoded"} if body else {})
        try:
            with urlopen(request, timeout=30) as answer:
                raw = answer.read()
                return answer.status, json.loads(raw) if raw else None
        except HTTPError as error:
            return error.code, json.loads(error.read())

    def private(self, method, path, **params):
        params.update(account=self.wallet.address, timestamp=int(time.time() * 1000))
        text = urlencode(sorted(params.items()))
        return self.request(method, path, text + "&signature=" + self.signature(encode_defunct(text=text)))

    def signature(self, message):
        return "0x" + self.wallet.sign_message(message).signature.hex().removeprefix("0x")

    def typed(self, struct):
        eip712 = self.info["eip712"]
        domain = {"name": eip712["domainName"], "version": eip712["domainVersion"], "chainId": eip712["chainId"]}
        domain["verifyingContract"] = eip712["verifyingContract"]
        order = dict(struct, info=bytes.fromhex(struct["info"].removeprefix("0x")))
        for amount in ("paperAmount", "creditAmount"):
            order[amount] = int(order[amount])
        types = {"Order": [{"name": name, "type": kind} for name, kind in FIELDS.items()]}
        return encode_typed_data(domain_data=domain, message_types=types, message_data={name: order[name] for name in FIELDS})

    def local_order(self, market, side, price, amount):
        sign = 1 if side == "BUY" else -1
        credit = Decimal(price) * Decimal(amount) * 10 ** self.info["dealerInfo"]["creditDecimals"]
        credit = int(credit.to_integral_value(ROUND_CEILING if side == "BUY" else ROUND_FLOOR))
        words = [int(Decimal(market[fee]) * 10**18) for fee in ("makerFee", "takerFee")]
        words += [int(time.time()) + TWENTY_YEARS_S, secrets.randbits(64)]
        return {
            "perp": market["perpetualContractAddress"],
            "signer": self.wallet.address,
            "paperAmount": sign * int(Decimal(amount) * 10 ** self.info["dealerInfo"]["paperDecimals"]),
            "creditAmount": -sign * credit,
            "info": "0x" + b"".join((word % 2**64).to_bytes(8, "big") for word in words).hex(),
        }


def main(base_url, key, market_id, price, amount):
    client = Client(base_url, key)
    market = next(market for market in client.info["markets"] if market["id"] == market_id)
    terms = dict(marketId=market_id, orderType="LIMIT", amount=amount, price=price, timeInForce="GTC")
    seen = {"address": client.wallet.address}
    seen["registered"] = client.private("POST", "/account")
    seen["registeredAgain"] = client.private("POST", "/account")

    _, built = client.private("POST", "/order/build", side="BUY", **terms)
    typed = client.typed(built["order"])
    seen["separator"] = "0x" + typed.header.hex()
    seen["hashOfBuilt"], seen["ownHashOfBuilt"] = built["orderHash"], "0x" + keccak(b"\x19\x01" + typed.header + typed.body).hex()
    signed = dict(orderSignature=client.signature(typed), info=built["order"]["info"], gasFeeQuotation=built["gasFeeQuotation"])
    seen["placedBuilt"] = client.private("POST", "/order", side="BUY", **terms, **signed)

    terms["price"] = str(Decimal(price) * 2)
    struct = client.local_order(market, "SELL", terms["price"], amount)
    signed = dict(orderSignature=client.signature(client.typed(struct)), info=struct["info"])
    seen["placedLocal"] = client.private("POST", "/order", side="SELL", **terms, **signed)
    forged = dict(signed, orderSignature=client.signature(encode_defunct(text="another message")))
    seen["forged"] = client.private("POST", "/order", side="SELL", **terms, **forged)

    seen["open"] = client.private("GET", "/openOrders", marketId=market_id)
    seen["cancelled"] = client.private("DELETE", "/order", marketId=market_id, orderId=seen["placedBuilt"][1]["id"])
    seen["cancelledAgain"] = client.private("DELETE", "/order", marketId=market_id, orderId=seen["placedBuilt"][1]["id"])
    seen["cancelledAll"] = client.private("DELETE", "/allOpenOrders")
    seen["openAfter"] = client.private("GET", "/openOrders")
    seen["history"] = client.private("GET", "/historyOrders", marketId=market_id)
    seen["balances"] = client.private("GET", "/balances")
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
