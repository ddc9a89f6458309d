/**
 * The venue's client: REST, streams, signing, filters and wire types. Public entry
 * `marketwright/exchange`.
 */

export { ecdsaScheme, type SignatureScheme, type Signer } from "../core/crypto/signing.js";
export {
  ConfigError,
  type ErrorDetail,
  FormatError,
  MarketwrightError,
  RunError,
} from "../core/errors.js";
export type { BuyRounding } from "../core/instrument.js";
export { createLiveRuntime } from "../core/runtime/live-runtime.js";
export type { Clock, Random, Runtime, Timer } from "../core/runtime/runtime.js";
export type { CreditUnits, Hex, Int64Id, Lots, MarketId, Ms, Side, Ticks } from "../core/units.js";
export { filterUnsafeOnChain, type OnChainSafetyReader } from "./client/confirm-unsafe.js";
export { type Connection, type ConnectOptions, connect } from "./client/connect.js";
export { ExchangeClient, type ExchangeClientOptions } from "./client/exchange-client.js";
export { Histories, type IdRangeQuery, type TimeRangeQuery } from "./client/histories.js";
export { LocalBook } from "./client/local-book.js";
export type { IdInput, OperationParams } from "./client/operation-params.js";
export { BuiltOrderError, DomainError, OrderFilterError } from "./client/order-errors.js";
export type { PreparedOrder } from "./client/order-placer.js";
export type { FeeRates, NewOrder, OrderSettings } from "./client/order-settings.js";
export {
  type IdPagesOptions,
  PagingError,
  readIdPages,
  readTimePages,
  type TimePagesOptions,
} from "./client/pages.js";
export type * from "./client/stream-events.js";
export { ExchangeStreams, type ExchangeStreamsOptions } from "./client/streams.js";
export * from "./former-names.js";
export { LiveVenue, type LiveVenueOptions } from "./live-venue.js";
export type {
  Account,
  AccountBalances,
  Balances,
  Income,
  PerpetualBalance,
  Position,
  RiskyAccount,
  TradeStatus,
  UserTrade,
  WireAccount,
  WireBalances,
  WireBalancesResponse,
  WireIncome,
  WirePosition,
  WireRiskyAccount,
  WireUserTrade,
} from "./protocol/account.js";
export { type Decimal, type DecimalInput, toDecimal } from "./protocol/decimal.js";
export {
  decodeBalances,
  decodeBalancesResponse,
  decodeIncomes,
  decodePositions,
  decodeUserTrade,
  decodeUserTrades,
} from "./protocol/decode-account.js";
export { decodeKlines } from "./protocol/decode-market-data.js";
export {
  type BuildResult,
  decodeBuildResult,
  decodeOrder,
  decodeOrders,
} from "./protocol/decode-orders.js";
export { createInstruments, decodeRules, MissingFilterError } from "./protocol/decode-rules.js";
export type { WireError } from "./protocol/errors.js";
export {
  DUPLICATED_ACCOUNT,
  INTERNAL_ERROR,
  INVALID_ORDER,
  INVALID_SIGNATURE,
  INVALID_TIMESTAMP,
  NO_SUCH_ORDER,
  VENUE_ERROR_CODES,
  type VenueErrorCode,
  venueErrorCode,
} from "./protocol/errors.js";
export { IntegerDecoder } from "./protocol/integer-decoder.js";
export type {
  AmountFilter,
  Asset,
  DealerInfo,
  Eip712,
  ExchangeInfo,
  Filter,
  GasFeeInfo,
  Market,
  MaxOpenOrdersFilter,
  PriceFilter,
  PriceSource,
  RateLimit,
  UnknownFilter,
  WireAmountFilter,
  WireEip712,
  WireExchangeInfo,
  WireFilter,
  WireMarket,
  WireMaxOpenOrdersFilter,
  WirePriceFilter,
  WirePriceSource,
} from "./protocol/market.js";
export type {
  Contract,
  Contracts,
  FundingRate,
  Kline,
  Level,
  OrderBook,
  PublicTrade,
  ServerTime,
  TradeVolume,
  WireContract,
  WireFundingRate,
  WireKline,
  WireLevel,
  WireOrderBook,
  WirePublicTrade,
  WireTradeVolume,
} from "./protocol/market-data.js";
export type { OperationResponses } from "./protocol/operations.js";
export { OPERATIONS, type Operation, type OperationName } from "./protocol/operations.js";
export type {
  BuiltOrder,
  Order,
  OrderJson,
  OrderStatus,
  WireBuildResult,
  WireOrder,
  WireOrderStruct,
} from "./protocol/order.js";
export {
  BOOK_LIMITS,
  INCOME_TYPES,
  KLINE_INTERVALS,
  MAX_PAGE,
  type OperationParameter,
  type ParameterType,
} from "./protocol/parameters.js";
export type { MarketStateUpdate, WireMarketState, WireStreamRequest } from "./protocol/stream.js";
export type {
  OpenEnum,
  WireDecimal,
  WireInt64,
  WireMs,
  WithUnknownFields,
} from "./protocol/values.js";
export type { DecodeContext } from "./protocol/wire-parse.js";
export { DISJOINT_RATE_BUCKETS, RATE_BUCKETS, type RateBuckets } from "./rate-buckets.js";
export type * from "./records.js";
export { buildActionRequest, type RequestContext } from "./rest/action-requests.js";
export { type CallParams, validateParams } from "./rest/call-params.js";
export {
  DEFAULT_USER_AGENT,
  NetworkTransport,
  type NetworkTransportOptions,
} from "./rest/network-transport.js";
export { type OutcomeContext, readOutcome } from "./rest/outcomes.js";
export {
  DEFAULT_LIMITS,
  RateGate,
  type RateGateOptions,
  RateLimitError,
  type RateLimitRule,
} from "./rest/rate-gate.js";
export { DEFAULT_RETRY, type RetryPolicy } from "./rest/retrier.js";
export type {
  HttpRequest,
  HttpResult,
  Socket,
  SocketHandlers,
  Transport,
} from "./rest/transport.js";
export type { FormerRuntimeOption } from "./runtime-option.js";
export { type BuildExpectation, checkBuiltOrder } from "./signing/built-order-check.js";
export { checkDomain, type DomainDifference } from "./signing/domain-check.js";
export { checkFilters, type FilterViolation, type OrderToCheck } from "./signing/filters.js";
export { isBelowWaiver, type WaiverUnit } from "./signing/gas-fee-waiver.js";
export {
  buildHashedOrder,
  buildOrderStruct,
  type HashedOrder,
  infoExpirationSeconds,
  type OrderInputs,
} from "./signing/order-building.js";
export {
  createTaggedNonce,
  decodeInfo,
  encodeInfo,
  type OrderInfo,
  readInfoTag,
  readNonceTag,
} from "./signing/order-info.js";
export {
  DOMAIN_TYPE,
  DOMAIN_TYPE_HASH,
  type DomainInputs,
  domainSeparator,
  ORDER_TYPE,
  ORDER_TYPE_HASH,
  OrderHasher,
} from "./signing/order-signing.js";
export {
  formatCanonicalParams,
  formEncode,
  type RequestParams,
  requestDigest,
  signParams,
} from "./signing/request-signing.js";
export {
  DEFAULT_MAX_FRAME_BYTES,
  FrameDecoder,
  type FrameDecoderOptions,
} from "./streams/frame-decoder.js";
export {
  MARKET_STREAM_KINDS,
  MarketStreams,
  type MarketStreamsOptions,
} from "./streams/market-streams.js";
export {
  formatStreamName,
  type KlineInterval,
  type MarketStream,
  parseStreamName,
} from "./streams/stream-names.js";
export {
  DEFAULT_STREAM_TIMINGS,
  StreamSession,
  type StreamSessionOptions,
  type StreamTimings,
} from "./streams/stream-session.js";
export type * from "./venue.js";
export { VenueError, type VenueRequestDetail, VenueRequestError } from "./venue-errors.js";
