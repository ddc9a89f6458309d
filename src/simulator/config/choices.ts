import { z } from "zod";
import { ERROR_CODES } from "../../exchange/protocol/errors.js";
import { text } from "./config-text.js";

const httpStatus = z.int().min(400).max(599);

const choices = z.strictObject({
  /** HTTP status of a coded error. */
  errorStatus: httpStatus.default(400),
  /** HTTP status of 1010 and of nothing else. */
  unauthorizedStatus: httpStatus.default(401),
  /** HTTP status of single codes, over what the two keys above say. */
  codeStatus: z.partialRecord(z.enum(Object.keys(ERROR_CODES)), httpStatus).default({}),
  /** The code of a good signature of somebody who may not sign for the account. */
  foreignSigner: z.enum(["1012", "1010"]).default("1012"),
  /** The code where an account is not registered. */
  unregisteredAccount: z.enum(["1010", "1110"]).default("1010"),
  /** Whether a request may widen or narrow the time window for itself by `recvWindow` (milliseconds, at most 60000). */
  recvWindow: z.enum(["ignore", "honour"]).default("ignore"),
  /** `startTime` not before `endTime`: refused with 1113, or an empty list. */
  emptyTimeRange: z.enum(["reject", "empty-list"]).default("reject"),
  /** What becomes of a POST_ONLY order that would cross: accepted and then ended under this status, or refused with 2016. */
  crossingPostOnly: z.enum(["EXPIRED", "CANCELED", "REJECT"]).default("EXPIRED"),
  /** Which order of one account goes when two of its own would trade. */
  selfMatch: z.enum(["cancel-resting", "cancel-incoming", "cancel-both"]).default("cancel-resting"),
  /** Status of an order that was ended because it would have traded with its owner's own. */
  selfMatchEnd: z.enum(["CANCELED", "EXPIRED"]).default("CANCELED"),
  /** What becomes of a FOK order that cannot fill whole: accepted and then ended under this status, or refused with 2016. */
  unfilledFok: z.enum(["EXPIRED", "CANCELED", "REJECT"]).default("EXPIRED"),
  /** Status under which what is left of an IOC or MARKET order ends. */
  iocRemainder: z.enum(["EXPIRED", "CANCELED"]).default("EXPIRED"),
  /** The status with which an accepted order is answered and first announced. */
  acceptedStatus: z.enum(["NEW", "CREATED"]).default("NEW"),
  /** GTT without an `expiration`: refused, or given this life. */
  gttWithoutExpiration: z.enum(["reject", "default-life"]).default("reject"),
  gttDefaultLifeMs: z.int().min(60_001).max(604_799_999).default(3_600_000),
  /** Unit of the `expiration` parameter and field. */
  expirationUnit: z.enum(["ms", "s"]).default("ms"),
  /** An `expiration` other than 0 on an order that is not GTT. */
  expirationWithoutGtt: z.enum(["ignore", "reject"]).default("ignore"),
  /** How a BUY order's credit is rounded to whole units. */
  buyCreditRounding: z.enum(["up", "down"]).default("up"),
  /** Whether positions list a market's last position after it closed. */
  closedPositions: z.enum(["omit", "latest"]).default("latest"),
  /** Status of an order that is wholly matched while a match of it still waits for settlement. */
  matchedOrderStatus: z.enum(["PARTIAL_FILLED", "FILLED"]).default("PARTIAL_FILLED"),
  /** Where such an order is listed: still among the open ones, or in the history at once. */
  matchedOrderList: z.enum(["open", "history"]).default("open"),
  /** What cancelling such an order is answered with while it is listed as open: 2011, or 204 without any effect. */
  matchedOrderCancel: z.enum(["refuse", "accept"]).default("refuse"),
  /** Whether such an order counts as open against the market's limit of open orders. */
  matchedOrderCounts: z.boolean().default(false),
  /** Where an order is listed that was cancelled or has expired while matches of it still wait for settlement. */
  endedOrderList: z.enum(["history", "open"]).default("history"),
  /** Status of an order whose amount is used up, of which some settled and some failed to. */
  partlyFailed: z.enum(["FAILED", "FILLED"]).default("FAILED"),
  /** From when on `averagePrice` is there and what it is over: what has been matched, or only what has been settled. */
  averagePriceFrom: z.enum(["match", "settlement"]).default("match"),
  /** What GET /v1/openOrder without `orderId` answers with. */
  openOrderWithoutId: z.enum(["newest", "oldest", "reject"]).default("newest"),
  /** A trade's status when its settlement failed. */
  failedTradeStatus: z.string().min(1).default("FAILED"),
  /** The unit in which `waiveGasFeeMinimumAmount` is compared with an order. */
  waiverUnit: z.enum(["quote", "base"]).default("quote"),
  /** Below it an order pays the gas of its settlement: a fixed amount, or so many times that gas (`gasFee.waiverMultiple`). */
  waiveGasFeeMinimumAmount: z
    .union([
      z.literal("dynamic"),
      text(/^\d{1,30}(\.\d{1,30})?$/, 'a plain decimal such as "10", or dynamic'),
    ])
    .default("dynamic"),
  /** Unit of `gasPrice` in exchangeInfo. */
  gasPriceUnit: z.enum(["wei", "gwei", "eth"]).default("wei"),
  gasFeeQuotationLifeMs: z.int().min(1).default(60_000),
  /** Whether reading or creating an account must be signed by it. */
  accountEndpointsSigned: z.boolean().default(true),
  /** Whether incomes that belong to no market (deposits) are listed under every market. */
  accountIncomes: z.enum(["every-market", "omit"]).default("every-market"),
  /** What a bar is where nothing was traded: absent, or the last close with volume 0. */
  emptyBars: z.enum(["omit", "repeat"]).default("omit"),
  /** Spelling of POST_ONLY in the market's list of times in force, and whether it is taken at all. */
  postOnly: z.enum(["accept", "reject"]).default("accept"),
  /** What a list of streams with unknown names does: it is carried out for the others, or not at all. */
  unknownStreams: z.enum(["skip", "refuse-list"]).default("skip"),
  /** The content type of a 204, which has no body. */
  emptyAnswerType: z.enum(["json", "none"]).default("json"),
  /** Whether positions of ACCOUNT_UPDATE name their market as `symbol` too. */
  positionSymbol: z.enum(["account-update", "omit"]).default("account-update"),
  /** Whether a market that has paid no funding yet lists one of rate 0 at the boundary before its start. */
  firstFunding: z.enum(["zero", "omit"]).default("zero"),
  /** Whether candles carry what was traded in quote as `quote_volume`. */
  candleQuoteVolume: z.boolean().default(true),
  /** Whether the endpoints are offered that clients call and the specification does not list. */
  unlistedEndpoints: z.boolean().default(true),
  /** What becomes of the resting orders that an operator signed when it is revoked. */
  revokedOperatorOrders: z.enum(["cancel", "keep"]).default("cancel"),
  /** The type of income as which the credit on registration is listed. */
  registrationIncome: z.enum(["DEPOSIT", "BONUS"]).default("DEPOSIT"),
  /** For how long a list of high-risk accounts is answered again. */
  riskyAccountsCacheMs: z.int().min(0).max(3_600_000).default(1000),
});

/** What the specification leaves open, each with the default that `docs/reference/venue-choices.md` gives a reason for. */
export const choicesShape = choices
  .refine(
    ({ matchedOrderList, matchedOrderStatus }) =>
      matchedOrderList === "open" || matchedOrderStatus === "FILLED",
    {
      path: ["matchedOrderStatus"],
      message: "contradicts matchedOrderList",
      params: { expected: "FILLED, since an order in the history has a final status" },
    },
  )
  .refine(
    ({ waiverUnit, waiveGasFeeMinimumAmount }) =>
      waiverUnit === "quote" || waiveGasFeeMinimumAmount !== "dynamic",
    {
      path: ["waiveGasFeeMinimumAmount"],
      message: "contradicts waiverUnit",
      params: {
        expected: "a plain decimal, since gas is compared with an order's value in quote only",
      },
    },
  );

/** The venue's choices, checked. */
export type VenueChoices = z.output<typeof choicesShape>;
