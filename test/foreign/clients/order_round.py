"""An order round by a client that openapi-python-client generates from /openapi.json, with the keys of eth_account.

usage: order_round.py ORIGIN PRIVATE_KEY MARKET_ID PRICE AMOUNT; the generated package, exchange_client, is on the path.
"""

import json
import sys
import time
from urllib.parse import urlencode

from eth_account import Account
from eth_account.messages import encode_defunct, encode_typed_data
from exchange_client import Client
from exchange_client.api.account import get_balances, post_account
from exchange_client.api.market_data import get_exchange_info, get_orderbook
from exchange_client.api.orders import delete_order, get_history_orders, get_open_orders, post_order, post_order_build
from exchange_client.models import PostAccountBody, PostOrderBuildBody, PostOrderBody
from exchange_client.models.get_orderbook_limit import GetOrderbookLimit

FIELDS = {"perp": "address", "signer": "address", "paperAmount": "int128", "creditAmount": "int128", "info": "bytes32"}


def main(origin, key, market_id, price, amount):
    client = Client(base_url=origin, raise_on_unexpected_status=True)
    wallet = Account.from_key(key)

    def signature(message):
        return "0x" + wallet.sign_message(message).signature.hex().removeprefix("0x")

    def signed(**params):
        params.update(account=wallet.address, timestamp=int(time.time() * 1000))
        return dict(params, signature=signature(encode_defunct(text=urlencode(sorted(params.items())))))

    def query(**params):
        """What the client calls in its own way, signed under the names of the interface."""
        names = {"marketId": "market_id", "orderId": "order_id"}
        return {names.get(name, name): value for name, value in signed(**params).items()}

    def sign_order(order, eip712):
        domain = {"name": eip712.domain_name, "version": eip712.domain_version, "chainId": eip712.chain_id}
        domain["verifyingContract"] = eip712.verifying_contract
        message = {"perp": order.perp, "signer": order.signer, "info": bytes.fromhex(order.info.removeprefix("0x"))}
        message.update(paperAmount=int(order.paper_amount), creditAmount=int(order.credit_amount))
        types = {"Order": [{"name": name, "type": kind} for name, kind in FIELDS.items()]}
        return signature(encode_typed_data(domain_data=domain, message_types=types, message_data=message))

    info = get_exchange_info.sync(client=client)
    registered = post_account.sync(client=client, body=PostAccountBody.from_dict(signed()))
    terms = dict(marketId=market_id, side="BUY", orderType="LIMIT", amount=amount, price=price, timeInForce="GTC")
    built = post_order_build.sync(client=client, body=PostOrderBuildBody.from_dict(signed(**terms)))
    placement = dict(terms, orderSignature=sign_order(built.order, info.eip712), info=built.order.info)
    placement.update(gasFeeQuotation=built.gas_fee_quotation)
    placed = post_order.sync(client=client, body=PostOrderBody.from_dict(signed(**placement)))
    book = get_orderbook.sync(client=client, market_id=market_id, limit=GetOrderbookLimit.VALUE_10)
    opened = get_open_orders.sync(client=client, **query(marketId=market_id))
    cancels = [delete_order.sync_detailed(client=client, **query(marketId=market_id, orderId=placed.id)) for _ in range(2)]
    history = get_history_orders.sync(client=client, **query(marketId=market_id))
    balances = get_balances.sync(client=client, **query()).balances

    seen = {
        "markets": [market.id for market in info.markets],
        "address": wallet.address,
        "registered": registered.address,
        "placed": [placed.side.value, placed.price, placed.amount, placed.hash_ == built.order_hash],
        "best": book.bids[0],
        "open": [order.id == placed.id for order in opened],
        "cancelled": cancels[0].status_code.value,
        "cancelledAgain": [cancels[1].status_code.value, cancels[1].parsed.code],
        "history": [[order.id == placed.id, order.status.value] for order in history],
        "netValue": balances.net_value,
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main(*sys.argv[1:])
