"""Runs the market maker that nautilus_trader ships, unchanged, on the dialect binance-usdm.

Arguments: address of the dialect, API key, secret, and the file for the bot's own record of its
orders. SIGINT ends the run: the strategy then cancels its orders and closes its position.
"""

import json
import sys
from decimal import Decimal

from nautilus_trader.adapters.binance import BINANCE
from nautilus_trader.adapters.binance import BinanceAccountType
from nautilus_trader.adapters.binance import BinanceDataClientConfig
from nautilus_trader.adapters.binance import BinanceExecClientConfig
from nautilus_trader.adapters.binance import BinanceLiveDataClientFactory
from nautilus_trader.adapters.binance import BinanceLiveExecClientFactory
from nautilus_trader.config import InstrumentProviderConfig
from nautilus_trader.config import LoggingConfig
from nautilus_trader.config import TradingNodeConfig
from nautilus_trader.examples.strategies.volatility_market_maker import VolatilityMarketMaker
from nautilus_trader.examples.strategies.volatility_market_maker import VolatilityMarketMakerConfig
from nautilus_trader.live.config import LiveExecEngineConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.data import BarType
from nautilus_trader.model.identifiers import InstrumentId

URL, KEY, SECRET, RECORD = sys.argv[1:]
INSTRUMENT = InstrumentId.from_str(f"BTCUSDC-PERP.{BINANCE}")

venue = {
    "api_key": KEY,
    "api_secret": SECRET,
    "account_type": BinanceAccountType.USDT_FUTURES,
    "base_url_http": URL,
    "base_url_ws": URL.replace("http", "ws", 1),
    "instrument_provider": InstrumentProviderConfig(load_ids=frozenset({INSTRUMENT})),
}
node = TradingNode(
    TradingNodeConfig(
        logging=LoggingConfig(log_level="WARNING", log_colors=False),
        data_clients={BINANCE: BinanceDataClientConfig(**venue)},
        exec_clients={
            BINANCE: BinanceExecClientConfig(
                **venue, futures_leverages={"BTCUSDC": 5}, max_retries=3
            )
        },
        exec_engine=LiveExecEngineConfig(open_check_interval_secs=5),
        timeout_post_stop=5,
    )
)
node.trader.add_strategy(
    VolatilityMarketMaker(
        VolatilityMarketMakerConfig(
            instrument_id=INSTRUMENT,
            external_order_claims=[INSTRUMENT],
            bar_type=BarType.from_str(f"{INSTRUMENT}-2-SECOND-LAST-INTERNAL"),
            atr_period=3,
            atr_multiple=0.1,
            trade_size=Decimal("0.01"),
        )
    )
)
node.add_data_client_factory(BINANCE, BinanceLiveDataClientFactory)
node.add_exec_client_factory(BINANCE, BinanceLiveExecClientFactory)
node.build()
node.run()

orders = [
    {
        "clientOrderId": str(order.client_order_id),
        "status": order.status_string(),
        "filled": str(order.filled_qty),
    }
    for order in node.cache.orders()
]
position = sum(position.signed_decimal_qty() for position in node.cache.positions())
with open(RECORD, "w") as file:
    json.dump({"orders": orders, "position": str(position)}, file)
node.dispose()
