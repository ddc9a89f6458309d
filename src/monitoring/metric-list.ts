/**
 * Definition of a metric, independent of a registry: the one list behind code and documentation.
 */
export interface MetricSpec {
  /** Without the prefix. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Label names with the description of their values. */
  readonly labels: Readonly<Record<string, string>>;
  /** Upper bounds of a histogram, seconds. */
  readonly buckets?: readonly number[];
}

/** Prefix of every metric of ours. */
export const METRIC_PREFIX = "marketwright_";

const market = "the exchange's market id";
const side = "BUY or SELL";

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
    help: "Order actions by their outcome.",
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
    help: "Own orders whose fate is not known, counted at full size until it is.",
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
    help: "1 while quotes of both sides rest on the exchange; only for markets with a strategy.",
    labels: { market },
  },
  fills: {
    name: "fills_total",
    type: "counter",
    help: "Own trades as they matched.",
    labels: { market, side, liquidity: "maker or taker" },
  },
  filledBase: {
    name: "filled_base_total",
    type: "counter",
    help: "Base amount of own trades as they matched.",
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
    help: "Position, pending fills included; long is positive.",
    labels: { market },
  },
  equity: { name: "equity_quote", type: "gauge", help: "Net value of the account.", labels: {} },
  peakEquity: {
    name: "peak_equity_quote",
    type: "gauge",
    help: "Highest net value of the account, deposits taken out; it survives restarts.",
    labels: {},
  },
  underWay: {
    name: "under_way_quote",
    type: "gauge",
    help: "What the account's net value has beyond the parts of profit, deposits and withdrawals: trades and incomes that only balances or only records have yet. 0 once both have all.",
    labels: {},
  },
  pnl: {
    name: "pnl_quote",
    type: "gauge",
    help: "Profit since the start by its parts, which with deposits, withdrawals and what is under way sum to the change of equity.",
    labels: {
      market,
      part: "spread, inventory, fees, funding, basis, failed (settlements that were reversed), liquidation (positions taken over or lost in liquidations, against the mark) or other (incomes of no other part)",
    },
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
    help: "1 while an order, a cancel or a query waits for tokens of a rate limit, and for ten more seconds.",
    labels: { bucket: "name of the rate limit" },
  },
  loopLag: {
    name: "loop_lag_seconds",
    type: "gauge",
    help: "How late the bot reacts: mean lateness of its own turns over two seconds.",
    labels: {},
  },
  loadShed: {
    name: "load_shed",
    type: "gauge",
    help: "1 while the bot gathers market data into rounds of decisions because its event loop lags.",
    labels: {},
  },
  throttled: {
    name: "throttled_total",
    type: "counter",
    help: "Answers that refused a request by the rate limit.",
    labels: { status: "429 or 418" },
  },
  tickToOrder: {
    name: "tick_to_order_seconds",
    type: "histogram",
    help: "From a stream message received to the signed order written to the socket.",
    labels: {},
    buckets: HOT_PATH_SECONDS,
  },
  orderAck: {
    name: "order_ack_seconds",
    type: "histogram",
    help: "From an order action written to the socket to its answer.",
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
    help: "Intents and actions that risk held back, and sizes of intents that it cut down.",
    labels: { market, rule: "the limit or guard that did" },
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
    help: "Times that a stream came up.",
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
    labels: { kind: "where it came from" },
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
    help: "The exchange's clock less this machine's.",
    labels: {},
  },
  reconciles: {
    name: "reconciles_total",
    type: "counter",
    help: "Finished comparisons with the exchange's orders, trades and positions.",
    labels: {},
  },
  reconcileDifferences: {
    name: "reconcile_differences_total",
    type: "counter",
    help: "Differences that a comparison with the exchange found.",
    labels: { kind: "what differed" },
  },
  halted: {
    name: "halted",
    type: "gauge",
    help: "1 while the reason halts the bot or one of its markets.",
    labels: { reason: "why" },
  },
  marketHalted: {
    name: "market_halted",
    type: "gauge",
    help: "1 while the reason halts the market.",
    labels: { market, reason: "why" },
  },
  positionUnknown: {
    name: "position_unknown_seconds",
    type: "gauge",
    help: "For how long the position of the market has been unknown; 0 while it is known.",
    labels: { market },
  },
  riskRung: {
    name: "risk_rung",
    type: "gauge",
    help: "The rung of the risk ladder that acts: 0 none, 1 warn, 2 widen, 3 reduce, 4 halt, 5 flatten.",
    labels: {
      measure: "drawdown, daily-loss, inventory or markout",
      market: "empty for a measure of the account",
    },
  },
  dailyLoss: {
    name: "daily_loss_quote",
    type: "gauge",
    help: "What the account has lost since midnight UTC, deposits and withdrawals taken out; 0 while it has gained.",
    labels: {},
  },
  heartbeat: {
    name: "heartbeat_timestamp_seconds",
    type: "gauge",
    help: "Time of the bot's last heartbeat for the guard; a dry run writes none.",
    labels: {},
  },
  liquidations: {
    name: "liquidations_total",
    type: "counter",
    help: "Positions of unsafe accounts that are done with, by their outcome. An outcome that the chain reverted counts, and so does the one after it.",
    labels: { market, outcome: "won, lost, unprofitable, reverted, refused, cured or dry-run" },
  },
  liquidationStages: {
    name: "liquidation_stages_total",
    type: "counter",
    help: "Positions of unsafe accounts, counted once for each stage that they reach.",
    labels: { market, stage: "seen, confirmed, planned, simulated, sent, mined, final or unwound" },
  },
  liquidationProfit: {
    name: "liquidation_profit_quote",
    type: "gauge",
    help: "Earned by takeovers since the start, with what remains of them at the mark, less the gas of everything that was sent.",
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
    help: "Gas paid for takeovers and their cancels, including blocks that the chain later replaced.",
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
    help: "Takeovers under way.",
    labels: {},
  },
  rpcHeadAge: {
    name: "rpc_head_age_seconds",
    type: "gauge",
    help: "Age of the newest block that the RPC has reported.",
    labels: { rpc: "host of the address, or its place in the list" },
  },
  rpcUp: {
    name: "rpc_up",
    type: "gauge",
    help: "1 while the RPC is trusted.",
    labels: { rpc: "host of the address, or its place in the list" },
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
