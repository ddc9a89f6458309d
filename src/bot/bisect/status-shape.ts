import type { AccountCounts } from "../../account/account-counter.js";
import type { PnlPart } from "../../monitoring/pnl-parts.js";
import type { QuoteReason } from "../../strategies/intent.js";
import type { ActiveHalt } from "../status/active-halt.js";
import type { BotStatus } from "../status/bot-status.js";
import type { EventLoopDelay } from "../status/event-loop-delay.js";
import type { HedgeStatus } from "../status/hedge-status.js";
import type { LadderRungStatus } from "../status/ladder-rung-status.js";
import type { MarketStatus } from "../status/market-status.js";
import type { MarkoutStatus } from "../status/markout-status.js";
import type { OpenPosition } from "../status/open-position.js";
import type { OwnQuote } from "../status/own-quotes.js";
import type { QuotingTimeStatus } from "../status/quoting-time-status.js";
import type { ReferenceSourceStatus, ReferenceStatus } from "../status/reference-status.js";
import type { StreamStatus } from "../status/stream-status.js";
import type { UnwindStatus } from "../status/unwind-status.js";

/**
 * The kind of a single value of a status. An amount is a number that the status writes as text. A
 * journal does not have what is `unrecorded`.
 */
export type ValueKind = "number" | "amount" | "text" | "boolean" | "unrecorded";

/** The values below a key: one value, a list, or a mapping, where `*` stands for any key. */
export type ValueShape = ValueKind | readonly [ValueShape] | StatusMapping;

/** A mapping of keys to their values. */
export interface StatusMapping {
  readonly [key: string]: ValueShape;
}

/** Each key of a type of the status: the compiler finds one that is missing here, or new there. */
type KeysOf<T> = Readonly<Record<keyof T, ValueShape>>;

const PNL = {
  spread: "amount",
  inventory: "amount",
  fees: "amount",
  funding: "amount",
  basis: "amount",
  failed: "amount",
  liquidation: "amount",
  other: "amount",
} satisfies KeysOf<Record<PnlPart, string>>;

const QUOTE = {
  clientId: "text",
  side: "text",
  price: "amount",
  amountBase: "amount",
  distanceBps: "number",
  phase: "text",
  ageMs: "number",
  level: "number",
} satisfies KeysOf<OwnQuote>;

const SOURCE = {
  name: "text",
  weight: "number",
  price: "amount",
  ageMs: "number",
  counts: "boolean",
  leftOut: "text",
} satisfies KeysOf<ReferenceSourceStatus>;

const REFERENCE = {
  state: "text",
  why: "text",
  price: "amount",
  fairPrice: "amount",
  ageMs: "number",
  basisBps: "number",
  basisFrozen: "text",
  onStale: "text",
  sources: [SOURCE],
} satisfies KeysOf<ReferenceStatus>;

const HEDGE = {
  venue: "text",
  symbol: "text",
  state: "text",
  isReachable: "boolean",
  restriction: "text",
  positionBase: "amount",
  unhedgedBase: "amount",
  boundBase: "amount",
  netBase: "amount",
  orders: ["text"],
  venueQuoteAsset: "text",
  profit: { trading: "amount", fees: "amount", funding: "amount", total: "amount" },
  otherFees: { "*": "amount" },
  profitQuote: "amount",
  rate: { rate: "number", source: "text", atMs: "number" },
  residual: "amount",
} satisfies KeysOf<HedgeStatus>;

const REASON = {
  fairTicks: "number",
  reservationTicks: "number",
  halfSpreadTicks: "number",
  terms: { "*": "number" },
  clamps: ["text"],
} satisfies KeysOf<QuoteReason>;

const QUOTING = {
  bothSidesFraction: "number",
  bidFraction: "number",
  askFraction: "number",
  bidDistanceBps: "number",
  askDistanceBps: "number",
} satisfies KeysOf<QuotingTimeStatus>;

/** `level` is a number, or the text `all`: it is compared as text. */
const MARKOUT = {
  side: "text",
  level: "text",
  horizonMs: "number",
  fills: "number",
  quote: "amount",
  bps: "number",
} satisfies KeysOf<MarkoutStatus>;

const MARKET = {
  state: "text",
  reasons: ["text"],
  strategy: "text",
  positionBase: "amount",
  positionUnknownSeconds: "number",
  entryPrice: "amount",
  notionalQuote: "amount",
  unrealisedQuote: "amount",
  realisedQuote: "amount",
  pnlQuote: PNL,
  pnlTotalQuote: "amount",
  fills: "number",
  fillsPerMinute: "number",
  quotes: [QUOTE],
  openBids: "number",
  openAsks: "number",
  unknownOrders: "number",
  manualOrders: "number",
  bestBid: "amount",
  bestAsk: "amount",
  bookAgeMs: "number",
  markQuote: "amount",
  reference: REFERENCE,
  hedge: HEDGE,
  isFlattening: "boolean",
  ordersCancelled: "number",
  minOrderBase: "amount",
  baseAsset: "text",
  quoteAsset: "text",
  lastReason: REASON,
  quoting: QUOTING,
  markouts: [MARKOUT],
} satisfies KeysOf<MarketStatus>;

const POSITION = {
  marketId: "text",
  positionBase: "amount",
  entryPrice: "amount",
  notionalQuote: "amount",
  baseAsset: "text",
  quoteAsset: "text",
} satisfies KeysOf<OpenPosition>;

const RUNG = {
  measure: "text",
  marketId: "text",
  threshold: "amount",
  unit: "text",
  action: "text",
  measured: "amount",
  isActive: "boolean",
  why: "text",
} satisfies KeysOf<LadderRungStatus>;

const UNWIND = {
  takeoverId: "text",
  marketId: "text",
  state: "text",
  inheritedBase: "amount",
  soldBase: "amount",
  remainingBase: "amount",
  earnedQuote: "amount",
  restBy: "text",
  deadlineMs: "number",
  decision: {
    way: "text",
    venue: "text",
    why: "text",
    hereCostQuote: "amount",
    layOffCostQuote: "amount",
  },
  trajectory: { allowedBase: "amount", worstPrice: "amount", nextStepAtMs: "number" },
} satisfies KeysOf<UnwindStatus>;

const HALT = {
  name: "text",
  marketId: "text",
  why: "text",
  endsByItself: "boolean",
} satisfies KeysOf<ActiveHalt>;

const COUNTS = {
  placed: "number",
  cancelled: "number",
  rejected: "number",
  unknown: "number",
  unknownResolved: "number",
  revived: "number",
  fills: "number",
  failedTrades: "number",
  differences: "number",
} satisfies KeysOf<AccountCounts>;

const STREAM = { name: "text", state: "text", ageMs: "number" } satisfies KeysOf<StreamStatus>;

const DELAY = { last: "number", p99: "number" } satisfies KeysOf<EventLoopDelay>;

const TOKENS = { left: "number", limit: "number" } satisfies StatusMapping;

/** The status of a bot (docs/reference/status.md), as conditions name its values. */
export const STATUS_SHAPE = {
  config: "text",
  account: "text",
  phase: "text",
  turn: "number",
  atMs: "number",
  startedAtMs: "number",
  dryRun: "boolean",
  paper: "boolean",
  equityQuote: "amount",
  equityChangeQuote: "amount",
  transfersQuote: "amount",
  earnedQuote: "amount",
  pnlQuote: PNL,
  pnlTotalQuote: "amount",
  underWayQuote: "amount",
  peakEquityQuote: "amount",
  drawdownQuote: "amount",
  unrealisedQuote: "amount",
  realisedQuote: "amount",
  openPositions: [POSITION],
  quoteAsset: "text",
  halts: ["text"],
  activeHalts: [HALT],
  dailyLossQuote: "amount",
  ladder: ["text"],
  ladderRungs: [RUNG],
  guard: "unrecorded",
  eventLoopDelayMs: DELAY,
  streams: [STREAM],
  tokens: { ORDER: TOKENS, COMMON: TOKENS },
  counts: COUNTS,
  clockOffsetMs: "number",
  markets: { "*": MARKET },
  unwinding: [UNWIND],
  unwindCounts: { "*": "number" },
  liquidator: "unrecorded",
  differsFromFile: "unrecorded",
  fileProblem: "unrecorded",
} satisfies KeysOf<BotStatus>;

/** The keys of a status that a journal does not have: a replay would show them as of its start. */
export const UNRECORDED_KEYS: readonly string[] = Object.entries(STATUS_SHAPE).flatMap(
  ([key, shape]) => (shape === "unrecorded" ? [key] : []),
);
