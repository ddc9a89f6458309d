/**
 * Definition of a metric, independent of a registry: the one list behind code and documentation.
 */
export interface MetricSpec {
  /** Without the prefix. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Label names with the description of their values: phrases, for a table. */
  readonly labels: Readonly<Record<string, string>>;
  /** Sentences under the table of labels on the page of metrics. */
  readonly details?: string;
  /** Upper bounds of a histogram, seconds. */
  readonly buckets?: readonly number[];
}

/** Prefix of every metric of ours. */
export const METRIC_PREFIX = "marketwright_";

const market = "the exchange's market id";
const side = "BUY or SELL";

const markoutGroup = {
  market,
  side: `${side}; BOTH for both`,
  level: "-1 to 15, or ALL",
  horizon: "seconds: 0.1, 0.3, 1, 3, 10, 30, 100 or 300",
};

const HOT_PATH_SECONDS = [
  0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.1, 1,
];
const STAGE_SECONDS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300];
const ROUND_TRIP_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];

/** All metrics of a bot, in the order of the documentation. */
export const METRIC_LIST = {
  orders: {
    name: "orders_total",
    type: "counter",
    help: "Order actions, by their outcome.",
    labels: {
      market,
      side: `${side}; ALL for a cancel-all`,
      action: "place, cancel or cancel-all",
      outcome: "accepted, cancelled, rejected, throttled, unknown or not-sent",
    },
  },
  rejections: {
    name: "rejections_total",
    type: "counter",
    help: "Actions that the exchange refused, by its error code.",
    labels: { market, code: "the exchange's error code" },
  },
  openOrders: {
    name: "open_orders",
    type: "gauge",
    help: "Own orders that may still fill.",
    labels: { market, side },
  },
  unknownOrders: {
    name: "unknown_orders",
    type: "gauge",
    help: "Own orders that may be open or not. Each counts at full size until the bot knows.",
    labels: { market },
  },
  manualOrders: {
    name: "manual_orders",
    type: "gauge",
    help: "Open orders of the account that this bot did not place.",
    labels: { market },
  },
  quoting: {
    name: "quoting",
    type: "gauge",
    help: "1 while both sides have an open order of the bot. Only for markets with a strategy.",
    labels: { market },
  },
  quotedFraction: {
    name: "quoted_fraction",
    type: "gauge",
    help: "Share of the time since the start with an own order on the book. Only for markets with a strategy.",
    labels: { market, side: `${side}; BOTH for an order on each side` },
  },
  quoteDistance: {
    name: "quote_distance_bps",
    type: "gauge",
    help: "Mean distance of the best own order behind the best one of others since the start, in basis points, weighted by time. Below 0 inside the spread.",
    labels: { market, side },
  },
  markoutBps: {
    name: "markout_bps",
    type: "gauge",
    help: "Mid at a horizon after own fills against their prices since the start, in basis points of their value. Above 0 is a gain.",
    labels: markoutGroup,
    details:
      "Level 0 is the innermost quote, 15 that one and all beyond, -1 an order that is no quote of the strategy. A horizon at which the book was not in sync is left out. The definition is that of a backtest's report.",
  },
  markoutQuote: {
    name: "markout_quote",
    type: "gauge",
    help: "The same in quote: the sum over these fills.",
    labels: markoutGroup,
  },
  markoutFills: {
    name: "markout_fills",
    type: "gauge",
    help: "Own fills since the start whose mid at the horizon is known.",
    labels: markoutGroup,
  },
  fills: {
    name: "fills_total",
    type: "counter",
    help: "Own trades, counted when they match.",
    labels: { market, side, liquidity: "maker or taker" },
  },
  filledBase: {
    name: "filled_base_total",
    type: "counter",
    help: "Base amount of own trades, counted when they match.",
    labels: { market, side },
  },
  settlementFailures: {
    name: "settlement_failures_total",
    type: "counter",
    help: "Own trades that failed to settle.",
    labels: { market },
  },
  position: {
    name: "position_base",
    type: "gauge",
    help: "Position, with fills that have not settled. Long is positive.",
    labels: { market },
  },
  equity: {
    name: "equity_quote",
    type: "gauge",
    help: "Net value of the account, with the profit of its hedges at other venues.",
    labels: {},
  },
  peakEquity: {
    name: "peak_equity_quote",
    type: "gauge",
    help: "Highest equity_quote, without deposits. It survives restarts.",
    labels: {},
  },
  underWay: {
    name: "under_way_quote",
    type: "gauge",
    help: "Change of the net value that profit, deposits and withdrawals do not explain yet. Only a record or only a balance shows it; 0 once both do.",
    labels: {},
  },
  pnl: {
    name: "pnl_quote",
    type: "gauge",
    help: "Profit since the start, by its parts.",
    labels: {
      market,
      part: "spread, inventory, fees, funding, basis, failed, liquidation or other",
    },
    details:
      "`failed` is from settlements that were reversed. `liquidation` is from positions that were taken over or lost in liquidations, against the mark. `other` is from incomes of no other part. All parts, deposits, withdrawals and `marketwright_under_way_quote` sum to the change of equity.",
  },
  rateTokens: {
    name: "rate_tokens",
    type: "gauge",
    help: "Tokens left in a rate limit's sliding window.",
    labels: { bucket: "name of the rate limit" },
  },
  tokensShort: {
    name: "tokens_short",
    type: "gauge",
    help: "1 while an order, a cancel or a query waits for tokens of a rate limit, and for 10 s after.",
    labels: { bucket: "name of the rate limit" },
  },
  loopLag: {
    name: "loop_lag_seconds",
    type: "gauge",
    help: "Delay of the event loop: how late the bot's periodic check fires, a mean over about 2 s.",
    labels: {},
  },
  loadShed: {
    name: "load_shed",
    type: "gauge",
    help: "1 while the bot decides less often, on batches of market data, because its event loop lags.",
    labels: {},
  },
  throttled: {
    name: "throttled_total",
    type: "counter",
    help: "Requests that the exchange refused because of a rate limit.",
    labels: { status: "429 or 418" },
  },
  tickToOrder: {
    name: "tick_to_order_seconds",
    type: "histogram",
    help: "Time from the receipt of a stream message to the write of the signed order to the socket.",
    labels: {},
    buckets: HOT_PATH_SECONDS,
  },
  orderAck: {
    name: "order_ack_seconds",
    type: "histogram",
    help: "Time from the write of an order action to the socket to its answer.",
    labels: {},
    buckets: ROUND_TRIP_SECONDS,
  },
  intents: {
    name: "intents_total",
    type: "counter",
    help: "Intents of strategies that passed validation.",
    labels: { market, kind: "quotes or target" },
  },
  clamps: {
    name: "risk_refusals_total",
    type: "counter",
    help: "Intents and actions that a limit or guard blocked, and sizes of intents that it reduced.",
    labels: { market, rule: "name of the limit or guard" },
  },
  streamUp: {
    name: "stream_up",
    type: "gauge",
    help: "1 while the stream is connected and subscribed.",
    labels: { stream: "market or account" },
  },
  streamConnects: {
    name: "stream_connects_total",
    type: "counter",
    help: "Connects and reconnects of a stream.",
    labels: { stream: "market or account" },
  },
  streamGaps: {
    name: "stream_gaps_total",
    type: "counter",
    help: "Sequence gaps in a market's book stream.",
    labels: { market },
  },
  malformed: {
    name: "malformed_frames_total",
    type: "counter",
    help: "Frames and answers that did not match the protocol.",
    labels: { kind: "source of the frame or answer" },
  },
  referenceState: {
    name: "reference_state",
    type: "gauge",
    help: "1 for the present state of a market's reference price, 0 for the others. Only for markets with a reference.",
    labels: { market, state: "good, starting, stale or disagreeing" },
  },
  referencePrice: {
    name: "reference_price",
    type: "gauge",
    help: "Combined reference price, in quote for one base. NaN unless it is good.",
    labels: { market },
  },
  referenceFairPrice: {
    name: "reference_fair_price",
    type: "gauge",
    help: "Reference price plus the basis, in quote for one base. NaN unless it is good.",
    labels: { market },
  },
  referenceAge: {
    name: "reference_age_seconds",
    type: "gauge",
    help: "Age of the oldest reference price that counts. NaN unless it is good.",
    labels: { market },
  },
  referenceBasis: {
    name: "reference_basis_bps",
    type: "gauge",
    help: "Price of this exchange above the reference price, as estimated, in basis points.",
    labels: { market },
  },
  referenceSourceCounts: {
    name: "reference_source_counts",
    type: "gauge",
    help: "1 while the price of a source counts in the reference price, else 0.",
    labels: { market, source: "the name in references" },
  },
  referenceSourceAge: {
    name: "reference_source_age_seconds",
    type: "gauge",
    help: "Age of a source's newest price. NaN before the first.",
    labels: { market, source: "the name in references" },
  },
  hedgeReachable: {
    name: "hedge_reachable",
    type: "gauge",
    help: "1 while a market's hedge venue is reachable and its position confirmed, else 0. Only for markets with a hedge.",
    labels: { market, venue: "the name in hedgeVenues" },
  },
  hedgePosition: {
    name: "hedge_position_base",
    type: "gauge",
    help: "Position at a market's hedge venue, in base, long positive.",
    labels: { market, venue: "the name in hedgeVenues" },
  },
  hedgeUnhedged: {
    name: "hedge_unhedged_base",
    type: "gauge",
    help: "Base that is still to be bought at a market's hedge venue. NaN while a position is not known.",
    labels: { market, venue: "the name in hedgeVenues" },
  },
  hedgeProfit: {
    name: "hedge_profit_quote",
    type: "gauge",
    help: "Profit of a market's hedge since it began, in the exchange's quote asset. NaN before a price and a rate.",
    labels: { market, venue: "the name in hedgeVenues" },
  },
  hedgeFills: {
    name: "hedge_filled_base_total",
    type: "counter",
    help: "Base filled at a market's hedge venue.",
    labels: { market, venue: "the name in hedgeVenues", side: "BUY or SELL" },
  },
  bookAge: {
    name: "book_age_seconds",
    type: "gauge",
    help: "Age of the market's book.",
    labels: { market },
  },
  accountAge: {
    name: "account_age_seconds",
    type: "gauge",
    help: "Time since the account was last confirmed.",
    labels: {},
  },
  clockOffset: {
    name: "clock_offset_seconds",
    type: "gauge",
    help: "The exchange's clock minus this machine's.",
    labels: {},
  },
  reconciles: {
    name: "reconciles_total",
    type: "counter",
    help: "Finished reconciliations with the exchange's orders, trades and positions.",
    labels: {},
  },
  reconcileDifferences: {
    name: "reconcile_differences_total",
    type: "counter",
    help: "Differences from the exchange that a reconciliation found.",
    labels: { kind: "kind of the difference" },
  },
  halted: {
    name: "halted",
    type: "gauge",
    help: "1 while a halt for this reason is active, in the bot or in one of its markets.",
    labels: { reason: "name of the reason" },
  },
  marketHalted: {
    name: "market_halted",
    type: "gauge",
    help: "1 while a halt for this reason is active in the market.",
    labels: { market, reason: "name of the reason" },
  },
  positionUnknown: {
    name: "position_unknown_seconds",
    type: "gauge",
    help: "Time for which the position of the market has been unknown; 0 while it is known.",
    labels: { market },
  },
  riskRung: {
    name: "risk_rung",
    type: "gauge",
    help: "Active rung of the risk ladder: 0 none, 1 warn, 2 widen, 3 reduce, 4 halt, 5 flatten.",
    labels: {
      measure: "drawdown, daily-loss, inventory or markout",
      market: "empty for a measure of the account",
    },
  },
  dailyLoss: {
    name: "daily_loss_quote",
    type: "gauge",
    help: "Loss of the account since midnight UTC, without deposits and withdrawals; 0 after a gain.",
    labels: {},
  },
  heartbeat: {
    name: "heartbeat_timestamp_seconds",
    type: "gauge",
    help: "Time of the bot's last heartbeat for the guard, in Unix seconds. A dry run writes none.",
    labels: {},
  },
  guarded: {
    name: "guarded",
    type: "gauge",
    help: "1 while a guard of this account shows a recent heartbeat in the state folder, else 0. Absent where none is needed.",
    labels: {},
    details: "None is needed for `GTT` quotes and for a dry run.",
  },
  stateUnwritten: {
    name: "state_unwritten",
    type: "gauge",
    help: "1 while a file of the state cannot be written, else 0. Absent before the first failure.",
    labels: { file: "name in the state folder" },
  },
  liquidations: {
    name: "liquidations_total",
    type: "counter",
    help: "Finished liquidations, one for each position of an unsafe account, by their outcome. If a reorg undoes an outcome, that one and the next both count.",
    labels: { market, outcome: "won, lost, unprofitable, reverted, refused, cured or dry-run" },
  },
  liquidationStages: {
    name: "liquidation_stages_total",
    type: "counter",
    help: "Positions of unsafe accounts, counted once at each stage that they reach.",
    labels: { market, stage: "seen, confirmed, planned, simulated, sent, mined, final or unwound" },
  },
  liquidationProfit: {
    name: "liquidation_profit_quote",
    type: "gauge",
    help: "Profit of takeovers since the start. It values unsold inventory at the mark and deducts the gas of every transaction.",
    labels: {},
  },
  liquidationSeconds: {
    name: "liquidation_seconds",
    type: "histogram",
    help: "Time from the previous stage to this stage.",
    labels: { stage: "confirmed, planned, simulated, sent, mined, final or unwound" },
    buckets: STAGE_SECONDS,
  },
  liquidationGas: {
    name: "liquidation_gas_eth_total",
    type: "counter",
    help: "Gas paid for takeovers and their cancels, also in blocks that the chain later replaced.",
    labels: {},
  },
  liquidationCandidates: {
    name: "liquidation_candidates",
    type: "gauge",
    help: "Accounts that the liquidator watches.",
    labels: {},
  },
  liquidationsInFlight: {
    name: "liquidations_in_flight",
    type: "gauge",
    help: "Takeovers that have no final result yet.",
    labels: {},
  },
  rpcHeadAge: {
    name: "rpc_head_age_seconds",
    type: "gauge",
    help: "Age of the newest block that the RPC has reported.",
    labels: { rpc: "host of its address, or its place in the list" },
  },
  rpcUp: {
    name: "rpc_up",
    type: "gauge",
    help: "1 while the bot trusts the RPC.",
    labels: { rpc: "host of its address, or its place in the list" },
  },
  buildInfo: {
    name: "build_info",
    type: "gauge",
    help: "Always 1; the labels name the versions.",
    labels: { version: "package version", node: "Node version" },
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

/** Key of a metric in {@link METRIC_LIST}. */
export type MetricKey = keyof typeof METRIC_LIST;

/** The labels of a metric, by its key. */
export type MetricLabels<Key extends MetricKey> = {
  readonly [Label in keyof (typeof METRIC_LIST)[Key]["labels"]]: string;
};
