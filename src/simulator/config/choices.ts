import { z } from "zod";
import { ERROR_CODES } from "../../exchange/protocol/errors.js";
import { text } from "./config-text.js";

const httpStatus = z.int().min(400).max(599);

const choices = z.strictObject({
  /** HTTP status of a coded error. */
  errorStatus: httpStatus.default(400),
  /** HTTP status of 1010 and of nothing else. */
  unauthorizedStatus: httpStatus.default(401),
  /** HTTP status of single codes, in place of the two keys above. */
  codeStatus: z.partialRecord(z.enum(Object.keys(ERROR_CODES)), httpStatus).default({}),
  /** The code for a valid signature of an address that may not sign for the account. */
  foreignSigner: z.enum(["1012", "1010"]).default("1012"),
  /** The code for an account that is not registered. */
  unregisteredAccount: z.enum(["1010", "1110"]).default("1010"),
  /** Lets a request set its own time window by `recvWindow` (milliseconds, at most 60000). */
  recvWindow: z.enum(["ignore", "honour"]).default("ignore"),
  /** `startTime` not before `endTime`: refused with 1113, or an empty list. */
  emptyTimeRange: z.enum(["reject", "empty-list"]).default("reject"),
  /**
   * A POST_ONLY order that would cross: accepted and then ended under this status, or refused with
   * 2016.
   */
  crossingPostOnly: z.enum(["EXPIRED", "CANCELED", "REJECT"]).default("EXPIRED"),
  /** The order of an account that is cancelled when two of its own would trade. */
  selfMatch: z.enum(["cancel-resting", "cancel-incoming", "cancel-both"]).default("cancel-resting"),
  /**
   * Status of an order that ended because it would have traded with another of the same account.
   */
  selfMatchEnd: z.enum(["CANCELED", "EXPIRED"]).default("CANCELED"),
  /**
   * A FOK order that cannot fill in full: accepted and then ended under this status, or refused
   * with 2016.
   */
  unfilledFok: z.enum(["EXPIRED", "CANCELED", "REJECT"]).default("EXPIRED"),
  /** Status under which the remainder of an IOC or MARKET order ends. */
  iocRemainder: z.enum(["EXPIRED", "CANCELED"]).default("EXPIRED"),
  /** The status in the response to an accepted order and in its first update. */
  acceptedStatus: z.enum(["NEW", "CREATED"]).default("NEW"),
  /** GTT without an `expiration`: refused, or given the default life. */
  gttWithoutExpiration: z.enum(["reject", "default-life"]).default("reject"),
  gttDefaultLifeMs: z.int().min(60_001).max(604_799_999).default(3_600_000),
  /** Unit of the `expiration` parameter and field. */
  expirationUnit: z.enum(["ms", "s"]).default("ms"),
  /** An `expiration` other than 0 on an order that is not GTT. */
  expirationWithoutGtt: z.enum(["ignore", "reject"]).default("ignore"),
  /** Rounding of a BUY order's credit to whole units. */
  buyCreditRounding: z.enum(["up", "down"]).default("up"),
  /** Lists a market's last position after it closed, or omits it. */
  closedPositions: z.enum(["omit", "latest"]).default("latest"),
  /** Status of an order that is matched in full while a match of it still waits for settlement. */
  matchedOrderStatus: z.enum(["PARTIAL_FILLED", "FILLED"]).default("PARTIAL_FILLED"),
  /** The list of such an order: still the open orders, or at once the history. */
  matchedOrderList: z.enum(["open", "history"]).default("open"),
  /**
   * Response to the cancellation of such an order while it is listed as open: 2011, or 204 without
   * any effect.
   */
  matchedOrderCancel: z.enum(["refuse", "accept"]).default("refuse"),
  /** Counts such an order against the market's limit of open orders. */
  matchedOrderCounts: z.boolean().default(false),
  /**
   * The list of an order that was cancelled or has expired while matches of it still wait for
   * settlement.
   */
  endedOrderList: z.enum(["history", "open"]).default("history"),
  /** Status of an order that is used up, with some matches settled and some failed. */
  partlyFailed: z.enum(["FAILED", "FILLED"]).default("FAILED"),
  /** The basis of `averagePrice`: all matches, or only settled ones. */
  averagePriceFrom: z.enum(["match", "settlement"]).default("match"),
  /** The response of GET /v1/openOrder without `orderId`. */
  openOrderWithoutId: z.enum(["newest", "oldest", "reject"]).default("newest"),
  /** Status of a trade whose settlement failed. */
  failedTradeStatus: z.string().min(1).default("FAILED"),
  /** The unit in which `waiveGasFeeMinimumAmount` is compared with an order. */
  waiverUnit: z.enum(["quote", "base"]).default("quote"),
  /**
   * The amount below which an order pays the gas of its settlement: fixed, or a multiple of that
   * gas (`gasFee.waiverMultiple`).
   */
  waiveGasFeeMinimumAmount: z
    .union([
      z.literal("dynamic"),
      text(/^\d{1,30}(\.\d{1,30})?$/, 'a plain decimal such as "10", or dynamic'),
    ])
    .default("dynamic"),
  /** Unit of `gasPrice` in exchangeInfo. */
  gasPriceUnit: z.enum(["wei", "gwei", "eth"]).default("wei"),
  gasFeeQuotationLifeMs: z.int().min(1).default(60_000),
  /** Requires the account's signature to read or create it. */
  accountEndpointsSigned: z.boolean().default(true),
  /** Lists incomes that belong to no market (deposits) under every market, or omits them. */
  accountIncomes: z.enum(["every-market", "omit"]).default("every-market"),
  /** A bar without trades: omitted, or the last close with volume 0. */
  emptyBars: z.enum(["omit", "repeat"]).default("omit"),
  /** Accepts POST_ONLY, and its spelling in the market's list of times in force. */
  postOnly: z.enum(["accept", "reject"]).default("accept"),
  /**
   * A list of streams with unknown names: the others are subscribed, or the whole list is refused.
   */
  unknownStreams: z.enum(["skip", "refuse-list"]).default("skip"),
  /** The content type of a 204, which has no body. */
  emptyAnswerType: z.enum(["json", "none"]).default("json"),
  /** Adds the market as `symbol` to the positions of ACCOUNT_UPDATE. */
  positionSymbol: z.enum(["account-update", "omit"]).default("account-update"),
  /**
   * Lists a funding of rate 0 at the boundary before the start for a market that has not paid any.
   */
  firstFunding: z.enum(["zero", "omit"]).default("zero"),
  /** Adds the traded quote amount to candles as `quote_volume`. */
  candleQuoteVolume: z.boolean().default(true),
  /** Offers the endpoints that clients call although the specification does not list them. */
  unlistedEndpoints: z.boolean().default(true),
  /** Resting orders that an operator signed, when it is revoked: cancelled or kept. */
  revokedOperatorOrders: z.enum(["cancel", "keep"]).default("cancel"),
  /** The income type of the credit on registration. */
  registrationIncome: z.enum(["DEPOSIT", "BONUS"]).default("DEPOSIT"),
  /** The time for which a list of high-risk accounts is cached. */
  riskyAccountsCacheMs: z.int().min(0).max(3_600_000).default(1000),
});

/**
 * The venue's choices where the specification is open. `docs/reference/venue-choices.md` gives the
 * reason for each default.
 */
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
