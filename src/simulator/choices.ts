import { z } from "zod";

const httpStatus = z.int().min(400).max(599);

/** What the specification leaves open, each with the default that `docs/venue-choices.md` gives a reason for. */
export const choicesShape = z.strictObject({
  /** HTTP status of a coded error. */
  errorStatus: httpStatus.default(400),
  /** HTTP status of 1010 and of nothing else. */
  unauthorizedStatus: httpStatus.default(401),
  /** What becomes of a POST_ONLY order that would cross: accepted and then ended under this status, or refused with 2016. */
  crossingPostOnly: z.enum(["EXPIRED", "CANCELED", "REJECT"]).default("EXPIRED"),
  /** Which order of one account goes when two of its own would trade. */
  selfMatch: z.enum(["cancel-resting", "cancel-incoming", "cancel-both"]).default("cancel-resting"),
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
  /** Whether a wholly matched order stays among the open orders until its last trade has settled or failed. */
  matchedOrders: z.enum(["open-until-settled", "history-at-once"]).default("open-until-settled"),
  /** A trade's status when its settlement failed. */
  failedTradeStatus: z.string().min(1).default("FAILED"),
  /** The unit in which `waiveGasFeeMinimumAmount` is compared with an order. */
  waiverUnit: z.enum(["quote", "base"]).default("quote"),
  waiveGasFeeMinimumAmount: z
    .string()
    .regex(/^\d+(\.\d+)?$/)
    .default("0"),
  gasFeeQuotationLifeMs: z.int().min(1).default(60_000),
  /** Whether reading or creating an account must be signed by it. */
  accountEndpointsSigned: z.boolean().default(true),
  /** Whether incomes that belong to no market (deposits) are listed under every market. */
  accountIncomes: z.enum(["every-market", "omit"]).default("every-market"),
  /** Spelling of POST_ONLY in the market's list of times in force, and whether it is taken at all. */
  postOnly: z.enum(["accept", "reject"]).default("accept"),
});

/** The venue's choices, checked. */
export type VenueChoices = z.output<typeof choicesShape>;
