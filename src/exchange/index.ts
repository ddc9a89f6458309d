/** The venue's client: REST, streams, signing, filters and wire types. Public entry `marketwright/exchange`. */
export { type RequestContext, requestOf } from "./action-requests.js";
export { type BuildExpectation, checkBuiltOrder } from "./built-order-check.js";
export { type CallParams, checkedParams } from "./call-params.js";
export {
  decodeBalances,
  decodeBalancesAnswer,
  decodeIncomes,
  decodePositions,
  decodeUserTrade,
  decodeUserTrades,
} from "./decode-account.js";
export { type BuildResult, decodeBuildResult, decodeOrder, decodeOrders } from "./decode-orders.js";
export { decodeRules, instrumentsOf, MissingFilterError } from "./decode-rules.js";
export { checkDomain, type DomainDifference } from "./domain-check.js";
export { checkFilters, type FilterBreach, type FilteredOrder } from "./filters.js";
export { DEFAULT_MAX_FRAME_BYTES, FrameDecoder, type FrameDecoderOptions } from "./frames.js";
export { IntegerDecoder } from "./integer-decoder.js";
export { LiveVenue, type LiveVenueOptions } from "./live-venue.js";
export { MARKET_STREAM_KINDS, MarketStreams, type MarketStreamsOptions } from "./market-streams.js";
export { DEFAULT_USER_AGENT, NetworkTransport, type NetworkTransportOptions } from "./network-transport.js";
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
export { decodeInfo, encodeInfo, infoTag, nonceTag, type OrderInfo, taggedNonce } from "./order-info.js";
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
export type * from "./records.js";
export { canonicalParams, formEncode, type RequestParams, requestDigest, signedParams } from "./request-signing.js";
export { type RestBook, RestClient, type RestClientOptions } from "./rest-client.js";
export { DEFAULT_STREAM_TIMINGS, StreamSession, type StreamSessionOptions, type StreamTimings } from "./stream-session.js";
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
  VenueRequestError,
  venueErrorCode,
} from "./venue-errors.js";
export type { DecodeContext } from "./wire-parse.js";
export type * from "./wire-types.js";
