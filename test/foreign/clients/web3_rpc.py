"""What web3.py makes of the chain's port.

usage: web3_rpc.py HTTP_URL WEBSOCKET_URL RICH_KEY TOKEN DEALER
"""

import asyncio
import json
import sys

from web3 import AsyncWeb3, Web3, WebSocketProvider

ABI = [
    {"type": "function", "name": "transfer", "stateMutability": "nonpayable", "outputs": [{"type": "bool", "name": ""}],
     "inputs": [{"type": "address", "name": "to"}, {"type": "uint256", "name": "amount"}]},
    {"type": "function", "name": "setMaxPositionAmount", "stateMutability": "nonpayable", "outputs": [],
     "inputs": [{"type": "uint256", "name": "most"}]},
]


def failure_of(work):
    try:
        work()
    except Exception as error:
        response = getattr(error, "rpc_response", None)
        words = response["error"]["message"] if response else str(getattr(error, "message", error))
        return {"names": [type(error).__name__], "words": words}
    return {"names": [], "words": ""}


async def main(url, stream_url, key, token, dealer):
    w3 = Web3(Web3.HTTPProvider(url))
    rich, poor = w3.eth.account.from_key(key), w3.eth.account.from_key("0x" + "11" * 32)
    fees = {"maxFeePerGas": 10**10, "maxPriorityFeePerGas": 10**9, "chainId": 31337}
    transfer = w3.eth.contract(address=token, abi=ABI).functions.transfer(poor.address, 5)

    def signed(account, **fields):
        return account.sign_transaction({"to": poor.address, "value": 1, "gas": 21000, **fees, **fields}).raw_transaction

    async with AsyncWeb3(WebSocketProvider(stream_url)) as stream:
        await stream.eth.subscribe("newPendingTransactions", False)
        call = transfer.build_transaction({"from": rich.address, "nonce": 0, **fees})
        sent = w3.eth.send_raw_transaction(rich.sign_transaction(call).raw_transaction)
        async for message in stream.socket.process_subscriptions():
            pending = message["result"]
            break
    receipt = w3.eth.wait_for_transaction_receipt(sent, poll_latency=0.1)
    receipts = w3.eth.get_block_receipts(receipt["blockNumber"])
    access = w3.eth.create_access_list({"from": rich.address, "to": token, "data": call["data"]})
    proof = w3.eth.get_proof(dealer, [0])

    later = signed(rich, nonce=1000)
    w3.eth.send_raw_transaction(later)
    not_owner = w3.eth.contract(address=dealer, abi=ABI).functions.setMaxPositionAmount(1)
    failures = {
        "empty": failure_of(lambda: w3.eth.estimate_gas({"from": poor.address, "to": poor.address, "value": 1})),
        "emptyWithGas": failure_of(lambda: w3.eth.send_raw_transaction(signed(poor, nonce=0))),
        "used": failure_of(lambda: w3.eth.send_raw_transaction(signed(rich, nonce=0))),
        "known": failure_of(lambda: w3.eth.send_raw_transaction(later)),
        "underpriced": failure_of(lambda: w3.eth.send_raw_transaction(signed(rich, nonce=1000, value=2))),
        "littleGas": failure_of(lambda: w3.eth.send_raw_transaction(signed(rich, nonce=1, gas=20000))),
        "notOwner": failure_of(lambda: not_owner.call({"from": rich.address})),
    }
    number, sender = receipt["blockNumber"], rich.address
    calling = {"from": sender, "to": token, "data": "0x18160ddd"}
    # Every request that web3.py writes, with the forms of block that it knows.
    requests = {
        "accounts": lambda: w3.eth.accounts,
        "block_number": lambda: w3.eth.block_number,
        "chain_id": lambda: w3.eth.chain_id,
        "gas_price": lambda: w3.eth.gas_price,
        "max_priority_fee": lambda: w3.eth.max_priority_fee,
        "syncing": lambda: w3.eth.syncing,
        "client_version": lambda: w3.client_version,
        "net": lambda: (w3.net.version, w3.net.peer_count),
        "get_balance": lambda: [w3.eth.get_balance(sender, at) for at in (None, "safe", 0, number, receipt["blockHash"])],
        "get_code": lambda: [w3.eth.get_code(token), w3.eth.get_code(token, number)],
        "get_storage_at": lambda: [w3.eth.get_storage_at(dealer, 0), w3.eth.get_storage_at(dealer, 0, number)],
        "get_transaction_count": lambda: w3.eth.get_transaction_count(sender, "pending"),
        "get_block": lambda: [w3.eth.get_block(at, True) for at in ("latest", "pending", number, receipt["blockHash"])],
        "get_block_transaction_count": lambda: [w3.eth.get_block_transaction_count(at) for at in (number, receipt["blockHash"])],
        "get_transaction": lambda: (w3.eth.get_transaction(sent), w3.eth.get_transaction_by_block(number, 0)),
        "get_transaction_by_block": lambda: w3.eth.get_transaction_by_block(receipt["blockHash"], 0),
        "fee_history": lambda: [w3.eth.fee_history(4, "latest", [10, 90]), w3.eth.fee_history(1, number)],
        "call": lambda: [w3.eth.call(calling), w3.eth.call(calling, number), w3.eth.call({**calling, "gas": 100000, "value": 0})],
        "estimate_gas": lambda: w3.eth.estimate_gas(calling, "latest"),
        "get_logs": lambda: [w3.eth.get_logs({"fromBlock": 0, "toBlock": "latest", "address": [token]}),
                             w3.eth.get_logs({"blockHash": receipt["blockHash"]})],
        "filters": lambda: [(one.get_new_entries(), w3.eth.uninstall_filter(one.filter_id))
                            for one in (w3.eth.filter("latest"), w3.eth.filter("pending"), w3.eth.filter({"address": token}))],
        "sign": lambda: w3.eth.sign(sender, text="hello"),
        "send_transaction": lambda: w3.eth.send_transaction({"from": sender, "to": poor.address, "value": 1}),
    }
    refused = []
    for name, request in requests.items():
        try:
            request()
        except Exception as error:
            refused.append([name, str(error)])
    seen = {
        "refused": refused,
        "listening": w3.net.listening,
        "status": "success" if receipt["status"] == 1 else "reverted",
        "receipts": any(one["transactionHash"] == sent for one in receipts),
        "slots": [[entry["address"] == token, len(entry["storageKeys"])] for entry in access["accessList"]],
        "proof": [int.from_bytes(one["value"], "big") > 0 for one in proof["storageProof"]],
        "gas": w3.eth.estimate_gas({"from": rich.address, "to": poor.address, "value": 1}),
        "pending": pending == sent,
        "failures": failures,
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
