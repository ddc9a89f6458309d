/** Names that this entry had before: each works as its current one, and a function warns once. */

import { underFormerName } from "../core/renamed.js";
import { createLiveRuntime } from "../core/runtime/live-runtime.js";
import type { Runtime } from "../core/runtime/runtime.js";
import { filterUnsafeOnChain, type OnChainSafetyReader } from "./client/confirm-unsafe.js";
import type { IdRangeQuery, TimeRangeQuery } from "./client/histories.js";
import {
  type IdPagesOptions,
  readIdPages,
  readTimePages,
  type TimePagesOptions,
} from "./client/pages.js";
import type { WireBalancesResponse } from "./protocol/account.js";
import { toDecimal } from "./protocol/decimal.js";
import { decodeBalancesResponse } from "./protocol/decode-account.js";
import { createInstruments } from "./protocol/decode-rules.js";
import type { OperationResponses } from "./protocol/operations.js";
import type { MarketStateUpdate } from "./protocol/stream.js";
import type { OpenEnum, WithUnknownFields } from "./protocol/values.js";
import { buildActionRequest } from "./rest/action-requests.js";
import { validateParams } from "./rest/call-params.js";
import { readOutcome } from "./rest/outcomes.js";
import type { FilterViolation, OrderToCheck } from "./signing/filters.js";
import { createTaggedNonce, readInfoTag, readNonceTag } from "./signing/order-info.js";
import { formatCanonicalParams, signParams } from "./signing/request-signing.js";
import { formatStreamName, parseStreamName } from "./streams/stream-names.js";
import type { Query, QueryAction, QueryResponses } from "./venue.js";

/** @deprecated Use {@link Runtime}. */
export type Seam = Runtime;
/** @deprecated Use {@link OnChainSafetyReader}. */
export type SafetyOnChain = OnChainSafetyReader;
/** @deprecated Use {@link IdRangeQuery}. */
export type FromId = IdRangeQuery;
/** @deprecated Use {@link TimeRangeQuery}. */
export type InTime = TimeRangeQuery;
/** @deprecated Use {@link IdPagesOptions}. */
export type IdPages<Item> = IdPagesOptions<Item>;
/** @deprecated Use {@link TimePagesOptions}. */
export type TimePages<Item> = TimePagesOptions<Item>;
/** @deprecated Use {@link OperationResponses}. */
export type Answers = OperationResponses;
/** @deprecated Use {@link WireBalancesResponse}. */
export type WireBalancesAnswer = WireBalancesResponse;
/** @deprecated Use {@link OpenEnum}. */
export type OpenWord<Known extends string> = OpenEnum<Known>;
/** @deprecated Use {@link WithUnknownFields}. */
export type WithExtra = WithUnknownFields;
/** @deprecated Use {@link MarketStateUpdate}. */
export type MarketFigures = MarketStateUpdate;
/** @deprecated Use {@link FilterViolation}. */
export type FilterBreach = FilterViolation;
/** @deprecated Use {@link OrderToCheck}. */
export type FilteredOrder = OrderToCheck;
/** @deprecated Use {@link QueryAction}. */
export type QuestionAction = QueryAction;
/** @deprecated Use {@link Query}. */
export type Question = Query;
/** @deprecated Use {@link QueryResponses}. */
export type AnswerData = QueryResponses;
/** @deprecated Use {@link createLiveRuntime}. */
export const liveSeam = underFormerName("liveSeam", "createLiveRuntime", createLiveRuntime);
/** @deprecated Use {@link toDecimal}. */
export const decimalOf = underFormerName("decimalOf", "toDecimal", toDecimal);
/** @deprecated Use {@link createInstruments}. */
export const instrumentsOf = underFormerName(
  "instrumentsOf",
  "createInstruments",
  createInstruments,
);
/** @deprecated Use {@link buildActionRequest}. */
export const requestOf = underFormerName("requestOf", "buildActionRequest", buildActionRequest);
/** @deprecated Use {@link readOutcome}. */
export const outcomeOf = underFormerName("outcomeOf", "readOutcome", readOutcome);
/** @deprecated Use {@link filterUnsafeOnChain}. */
export const unsafeOnChain = underFormerName(
  "unsafeOnChain",
  "filterUnsafeOnChain",
  filterUnsafeOnChain,
);
/** @deprecated Use {@link readIdPages}. */
export const idPages = underFormerName("idPages", "readIdPages", readIdPages);
/** @deprecated Use {@link readTimePages}. */
export const timePages = underFormerName("timePages", "readTimePages", readTimePages);
/** @deprecated Use {@link validateParams}. */
export const checkedParams = underFormerName("checkedParams", "validateParams", validateParams);
/** @deprecated Use {@link formatStreamName}. */
export const streamName = underFormerName("streamName", "formatStreamName", formatStreamName);
/** @deprecated Use {@link parseStreamName}. */
export const readStreamName = underFormerName("readStreamName", "parseStreamName", parseStreamName);
/** @deprecated Use {@link decodeBalancesResponse}. */
export const decodeBalancesAnswer = underFormerName(
  "decodeBalancesAnswer",
  "decodeBalancesResponse",
  decodeBalancesResponse,
);
/** @deprecated Use {@link createTaggedNonce}. */
export const taggedNonce = underFormerName("taggedNonce", "createTaggedNonce", createTaggedNonce);
/** @deprecated Use {@link readNonceTag}. */
export const nonceTag = underFormerName("nonceTag", "readNonceTag", readNonceTag);
/** @deprecated Use {@link readInfoTag}. */
export const infoTag = underFormerName("infoTag", "readInfoTag", readInfoTag);
/** @deprecated Use {@link formatCanonicalParams}. */
export const canonicalParams = underFormerName(
  "canonicalParams",
  "formatCanonicalParams",
  formatCanonicalParams,
);
/** @deprecated Use {@link signParams}. */
export const signedParams = underFormerName("signedParams", "signParams", signParams);
