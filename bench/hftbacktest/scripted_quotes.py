"""Runs the scripted quotes of scripted-quotes.ts in hftbacktest.

Reads commands from standard input, and responds to each with one line of JSON.

    python scripted_quotes.py EVENTS TICK_SIZE LOT_SIZE START_NS LATENCY_NS EVERY_NS LOTS

EVENTS holds columns of 64-bit words: flags, exchange and local nanoseconds, price, amount. The
command `fills` gives the fills of one run. `time hashmap SECONDS` and `time roivector SECONDS` give
the number of runs and the processor seconds that they took, without building the engines.
"""

import json
import sys
import time

import numpy as np
from hftbacktest import (
    BUY,
    CANCELED,
    EXPIRED,
    FILLED,
    GTX,
    LIMIT,
    BacktestAsset,
    HashMapMarketDepthBacktest,
    ROIVectorMarketDepthBacktest,
)
from hftbacktest.data import correct_event_order, validate_event_order
from hftbacktest.types import event_dtype
from numba import njit, uint64


def events_of(path):
    columns = np.fromfile(path, dtype=np.int64).reshape(5, -1)
    events = np.zeros(columns.shape[1], dtype=event_dtype)
    events["ev"] = columns[0].view(np.uint64)
    events["exch_ts"] = columns[1]
    events["local_ts"] = columns[2]
    events["px"] = columns[3].view(np.float64)
    events["qty"] = columns[4].view(np.float64)
    by_exchange = np.argsort(events["exch_ts"], kind="mergesort")
    by_local = np.argsort(events["local_ts"], kind="mergesort")
    ordered = correct_event_order(events, by_exchange, by_local)
    validate_event_order(ordered)
    return ordered


@njit
def note_end(hbt, order_id, fills, count):
    """True if an order is closed; notes its fill."""
    order = hbt.orders(0).get(order_id)
    if order is None:
        return True, count
    if order.status == FILLED:
        fills[count, 0] = order_id
        fills[count, 1] = 1 if order.side == BUY else -1
        fills[count, 2] = order.exec_price_tick
        fills[count, 3] = order.exch_timestamp
        return True, count + 1
    return order.status == EXPIRED or order.status == CANCELED, count


@njit
def scripted_quotes(hbt, start_ns, every_ns, quantity, fills):
    """Places at each step one post-only order per side at the local touch.

    An order at another price is cancelled. Returns the number of fills.
    """
    if hbt.elapse(1) != 0 or hbt.elapse(start_ns - hbt.current_timestamp) != 0:
        return 0
    count = 0
    next_id = 1
    buy_id = 0
    buy_tick = 0
    sell_id = 0
    sell_tick = 0
    # Cancelled orders may be filled before their cancel arrives.
    left_buy = 0
    left_sell = 0
    while True:
        if left_buy > 0:
            _, count = note_end(hbt, left_buy, fills, count)
            left_buy = 0
        if left_sell > 0:
            _, count = note_end(hbt, left_sell, fills, count)
            left_sell = 0
        if buy_id > 0:
            over, count = note_end(hbt, buy_id, fills, count)
            if over:
                buy_id = 0
        if sell_id > 0:
            over, count = note_end(hbt, sell_id, fills, count)
            if over:
                sell_id = 0
        hbt.clear_inactive_orders(0)
        depth = hbt.depth(0)
        bid = depth.best_bid_tick
        ask = depth.best_ask_tick
        if depth.best_bid == depth.best_bid and (buy_id == 0 or buy_tick != bid):
            if buy_id > 0:
                hbt.cancel(0, buy_id, False)
                left_buy = buy_id
            hbt.submit_buy_order(0, uint64(next_id), depth.best_bid, quantity, GTX, LIMIT, False)
            buy_id = next_id
            buy_tick = bid
            next_id += 1
        if depth.best_ask == depth.best_ask and (sell_id == 0 or sell_tick != ask):
            if sell_id > 0:
                hbt.cancel(0, sell_id, False)
                left_sell = sell_id
            hbt.submit_sell_order(0, uint64(next_id), depth.best_ask, quantity, GTX, LIMIT, False)
            sell_id = next_id
            sell_tick = ask
            next_id += 1
        if hbt.elapse(every_ns) != 0:
            break
    # The last messages come after the last step, and may fill open orders.
    for order_id in (left_buy, left_sell, buy_id, sell_id):
        if order_id > 0:
            _, count = note_end(hbt, order_id, fills, count)
    return count


def main():
    path = sys.argv[1]
    tick_size, lot_size = float(sys.argv[2]), float(sys.argv[3])
    start_ns, latency_ns, every_ns, lots = (int(word) for word in sys.argv[4:8])
    events = events_of(path)
    fills = np.zeros((1_000_000, 4), dtype=np.int64)

    def build(kind):
        asset = (
            BacktestAsset()
            .data([events])
            .linear_asset(1.0)
            .constant_order_latency(latency_ns, latency_ns)
            .risk_adverse_queue_model()
            .no_partial_fill_exchange()
            .trading_value_fee_model(0.0, 0.0)
            .tick_size(tick_size)
            .lot_size(lot_size)
            .last_trades_capacity(0)
        )
        if kind == "hashmap":
            return HashMapMarketDepthBacktest([asset])
        # Dense arrays around the market's price.
        middle = float(np.median(events["px"]))
        return ROIVectorMarketDepthBacktest([asset.roi_lb(middle * 0.8).roi_ub(middle * 1.2)])

    def run(kind):
        hbt = build(kind)
        begun = time.process_time()
        count = scripted_quotes(hbt, start_ns, every_ns, lots * lot_size, fills)
        took = time.process_time() - begun
        trades = hbt.state_values(0).num_trades
        hbt.close()
        return count, took, trades

    for kind in ("hashmap", "roivector"):
        run(kind)
    print(json.dumps({"events": len(events)}), flush=True)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "fills":
            count, _, trades = run(words[1])
            answer = {"trades": int(trades), "fills": fills[:count].tolist()}
        else:
            runs, seconds = 0, 0.0
            while seconds < float(words[2]):
                seconds += run(words[1])[1]
                runs += 1
            answer = {"runs": runs, "seconds": seconds}
        print(json.dumps(answer), flush=True)


main()
