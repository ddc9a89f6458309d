/** The venue's client: REST, streams, signing, filters and wire types. Public entry `marketwright/exchange`. */

export { ecdsaScheme, type SignatureScheme, type Signer } from "../core/crypto/signing.js";
export {
  ConfigError,
  type ErrorDetail,
  FormatError,
  MarketwrightError,
  RunError,
} from "../core/errors.js";
export { liveSeam } from "../core/runtime/live-seam.js";
export type { Clock, Random, Seam, Timer } from "../core/runtime/seam.js";
export type { CreditUnits, Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
export { type RequestContext, requestOf } from "./action-requests.js";
export { type BuildExpectation, checkBuiltOrder } from "./built-order-check.js";
export { type CallParams, checkedParams } from "./call-params.js";
export type * from "./client/account-records.js";
export type { Answers } from "./client/answers.js";
export { type SafetyOnChain, unsafeOnChain } from "./client/confirm-unsafe.js";
export { type Connection, type ConnectOptions, connect } from "./client/connect.js";
export { type Decimal, type DecimalInput, decimalOf } from "./client/decimal.js";
export { ExchangeClient, type ExchangeClientOptions } from "./client/exchange-client.js";
export { type FromId, Histories, type InTime } from "./client/histories.js";
export { LocalBook } from "./client/local-book.js";
export type * from "./client/market-records.js";
export type { IdInput, OperationParams } from "./client/operation-params.js";
export { BuiltOrderError, DomainError, OrderFilterError } from "./client/order-errors.js";
export type { PreparedOrder } from "./client/order-placer.js";
export type { FeeRates, NewOrder, OrderSettings } from "./client/order-settings.js";
export { type IdPages, idPages, PagingError, type TimePages, timePages } from "./client/pages.js";
export type * from "./client/stream-events.js";
export { ExchangeStreams, type ExchangeStreamsOptions } from "./client/streams.js";
export {
  decodeBalances,
  decodeBalancesAnswer,
  decodeIncomes,
  decodePositions,
  decodeUserTrade,
  decodeUserTrades,
} from "./decode-account.js";
export { decodeKlines } from "./decode-klines.js";
export { type BuildResult, decodeBuildResult, decodeOrder, decodeOrders } from "./decode-orders.js";
export { decodeRules, instrumentsOf, MissingFilterError } from "./decode-rules.js";
export { checkDomain, type DomainDifference } from "./domain-check.js";
export { checkFilters, type FilterBreach, type FilteredOrder } from "./filters.js";
export { DEFAULT_MAX_FRAME_BYTES, FrameDecoder, type FrameDecoderOptions } from "./frames.js";
export { isBelowWaiver, type WaiverUnit } from "./gas-fee-waiver.js";
export { IntegerDecoder } from "./integer-decoder.js";
export { LiveVenue, type LiveVenueOptions } from "./live-venue.js";
export { MARKET_STREAM_KINDS, MarketStreams, type MarketStreamsOptions } from "./market-streams.js";
export {
  DEFAULT_USER_AGENT,
  NetworkTransport,
  type NetworkTransportOptions,
} from "./network-transport.js";
export {
  BOOK_LIMITS,
  INCOME_TYPES,
  KLINE_INTERVALS,
  MAX_PAGE,
  OPERATIONS,
  type Operation,
  type OperationName,
  type OperationParameter,
  type ParameterType,
} from "./operations.js";
export {
  type BuyRounding,
  buildHashedOrder,
  buildOrderStruct,
  type HashedOrder,
  infoExpirationSeconds,
  type OrderInputs,
} from "./order-building.js";
export {
  decodeInfo,
  encodeInfo,
  infoTag,
  nonceTag,
  type OrderInfo,
  taggedNonce,
} from "./order-info.js";
export {
  DOMAIN_TYPE,
  DOMAIN_TYPE_HASH,
  type DomainInputs,
  domainSeparator,
  ORDER_TYPE,
  ORDER_TYPE_HASH,
  OrderHasher,
} from "./order-signing.js";
export { type OutcomeContext, outcomeOf } from "./outcomes.js";
export { DISJOINT_RATE_BUCKETS, RATE_BUCKETS, type RateBuckets } from "./rate-buckets.js";
export {
  DEFAULT_LIMITS,
  RateGate,
  type RateGateOptions,
  RateLimitError,
  type RateLimitRule,
} from "./rate-gate.js";
export type * from "./records.js";
export {
  canonicalParams,
  formEncode,
  type RequestParams,
  requestDigest,
  signedParams,
} from "./request-signing.js";
export { DEFAULT_RETRY, type RetryPolicy } from "./retrier.js";
export {
  type KlineInterval,
  type MarketStream,
  readStreamName,
  streamName,
} from "./stream-names.js";
export {
  DEFAULT_STREAM_TIMINGS,
  StreamSession,
  type StreamSessionOptions,
  type StreamTimings,
} from "./stream-session.js";
export type { HttpRequest, HttpResult, Socket, SocketHandlers, Transport } from "./transport.js";
export type * from "./venue.js";
export {
  DUPLICATED_ACCOUNT,
  INTERNAL_ERROR,
  INVALID_ORDER,
  INVALID_SIGNATURE,
  INVALID_TIMESTAMP,
  NO_SUCH_ORDER,
  VENUE_ERROR_CODES,
  VenueError,
  type VenueErrorCode,
  type VenueRequestDetail,
  VenueRequestError,
  venueErrorCode,
} from "./venue-errors.js";
export type * from "./wire-account-types.js";
export type * from "./wire-market-types.js";
export type { DecodeContext } from "./wire-parse.js";
export type * from "./wire-stream-types.js";
export type * from "./wire-values.js";
