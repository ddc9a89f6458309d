import { z } from "zod";
import type { Ms } from "../../core/units.js";
import {
  address,
  alwaysWritten,
  count,
  type DecimalForm,
  dispensable,
  EXACT,
  hash32,
  hex,
  int64Id,
  list,
  marketId,
  ms,
  openWord,
  record,
  smallestUnits,
  writtenAs,
} from "./values.js";

/**
 * The times in force of the protocol (POST_ONLY is in the market's list, not in the build table).
 */
export const TIMES_IN_FORCE = ["GTC", "IOC", "FOK", "POST_ONLY", "GTT"] as const;
/** The order types of the protocol. */
export const ORDER_TYPES = ["LIMIT", "MARKET"] as const;

/** Smaller values of `expiration` are seconds, as in `info`. 10^11 s is the year 5138. */
const LARGEST_SECONDS = 1e11;

/** Converts an `expiration` of the wire to milliseconds: the protocol does not specify its unit. */
export function expirationMs(expiration: number): Ms {
  return expiration < LARGEST_SECONDS ? expiration * 1000 : expiration;
}

/** The fields of the signed structure of an order. */
export const orderStructFields = {
  perp: address,
  /** The trading account, also where an operator signed. */
  signer: address,
  /** An obsolete field that is not hashed. */
  sender: dispensable(address),
  /** Signed, `10^-paperDecimals` of the base asset: positive buys. */
  paperAmount: smallestUnits,
  /** Signed, smallest units of credit: negative buys. */
  creditAmount: smallestUnits,
  info: hash32,
};
/** The signed structure of an order as the exchange shows it. */
export const orderStruct = record(orderStructFields);

/** The fields of an order. The six parts sum to `amount`; a match is pending until it settles. */
export const orderFields = <Value extends z.ZodType>({ unsigned }: DecimalForm<Value>) => ({
  id: int64Id,
  account: address,
  marketId,
  side: z.enum(["BUY", "SELL"]),
  /** Worst accepted price. */
  price: unsigned,
  tif: openWord(TIMES_IN_FORCE),
  type: openWord(ORDER_TYPES),
  /** Base units, like its parts. */
  amount: unsigned,
  availableAmount: unsigned,
  filledAmount: unsigned,
  canceledAmount: unsigned,
  pendingAmount: unsigned,
  expiredAmount: unsigned,
  failedAmount: unsigned,
  /** Absent until there is a fill; some servers write an empty string or null instead. */
  averagePrice: writtenAs(
    z
      .union([unsigned, z.literal("")])
      .nullable()
      .transform((price) =>
        price === "" || price === null ? undefined : (price as z.output<Value>),
      )
      .optional(),
    unsigned.meta({ description: "absent before a fill" }),
  ),
  json: orderStruct,
  hash: hash32,
  createdAt: ms,
  /** FILLED, CANCELED, EXPIRED and FAILED are final. */
  status: openWord(["CREATED", "NEW", "PARTIAL_FILLED", "FILLED", "CANCELED", "EXPIRED", "FAILED"]),
  /** Null in some responses, and no longer anything else. */
  trades: dispensable(z.null()),
  /** 0 when there is none. */
  expiration: alwaysWritten(
    writtenAs(
      z
        .int()
        .nonnegative()
        .nullish()
        .transform((expiration) => expirationMs(expiration ?? 0)),
      count.meta({ format: "int64", description: "0 when there is none" }),
    ),
  ),
});
/** An order, in a response or on the account stream. */
export const order = record(orderFields(EXACT));
/** Lists of orders. */
export const orders = list(order);

/** The fields of the response to `POST /v1/order/build`. */
export const builtOrderFields = {
  order: orderStruct,
  orderHash: hash32,
  packedOrder: dispensable(hex),
  /** A token signed by the service; needed below `waiveGasFeeMinimumAmount`. */
  gasFeeQuotation: z.string(),
};
/** `POST /v1/order/build`. */
export const builtOrder = record(builtOrderFields);

/** The signed structure of an order as JSON. */
export type WireOrderStruct = z.input<typeof orderStruct>;
/** An order of the account as JSON. */
export type WireOrder = z.input<typeof order>;
/** `POST /v1/order/build` as JSON. */
export type WireBuildResult = z.input<typeof builtOrder>;

/** The signed structure of an order. */
export type OrderJson = z.output<typeof orderStruct>;
/** An order. Prices and amounts are exact decimals. */
export type Order = z.output<typeof order>;
/** The state of an order. */
export type OrderStatus = Order["status"];
/** `POST /v1/order/build`, not yet checked against the request. */
export type BuiltOrder = z.output<typeof builtOrder>;
