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
    seen = {
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
