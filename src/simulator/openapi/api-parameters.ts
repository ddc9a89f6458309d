import { EVERY_INCOME_TYPE } from "../../exchange/records.js";
import { CANDLE_INTERVALS } from "../markets/candle-interval.js";
import { TIMES_IN_FORCE } from "../rest/endpoints/order-terms.js";

/** A JSON Schema, as far as parameters need one. */
export interface ParameterSchema {
  readonly type: "string" | "integer";
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly default?: string | number;
}

/** One parameter of an operation: in the query, or for a POST in the form. */
export interface ApiParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: ParameterSchema;
  readonly description: string;
}

const ADDRESS: ParameterSchema = {
  type: "string",
  format: "address",
  pattern: "^0x[0-9a-fA-F]{40}$",
};
const DECIMAL: ParameterSchema = {
  type: "string",
  format: "decimal",
  pattern: "^\\d{1,30}(\\.\\d{1,30})?$",
};
const INSTANT: ParameterSchema = {
  type: "integer",
  format: "int64",
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};
const ID: ParameterSchema = { type: "integer", format: "int64", minimum: 0 };
/** How signatures and hashes may be written. */
const SPELLINGS = "with 0x or without, in either case";

/** A parameter that must be there. */
function needed(name: string, schema: ParameterSchema, description: string): ApiParameter {
  return { name, required: true, schema, description };
}

/** A parameter that may be left out. */
function optional(name: string, schema: ParameterSchema, description: string): ApiParameter {
  return { name, required: false, schema, description };
}

export const MARKET = needed(
  "marketId",
  { type: "string", maxLength: 64 },
  "the market; 1112 for one that is not there",
);
export const ANY_MARKET = optional(
  "marketId",
  { type: "string", maxLength: 64 },
  "the market; all of them when left out",
);
export const BOOK_LIMIT = optional(
  "limit",
  { type: "integer", enum: [10, 20, 50, 100, 500, 1000], default: 500 },
  "levels of each side; anything else is 1111",
);
export const LIMIT = optional(
  "limit",
  { type: "integer", minimum: 1, maximum: 500, default: 100 },
  "records; anything else is 1111",
);
export const START_TIME = optional("startTime", INSTANT, "inclusive, milliseconds");
export const END_TIME = optional("endTime", INSTANT, "exclusive, milliseconds");
export const FROM_ID = optional("fromId", ID, "ascending from this trade on, which is included");
export const FROM_ID_ALONE = optional(
  "fromId",
  ID,
  "ascending from this trade on; with startTime or endTime it is 1111",
);
export const INTERVAL = needed(
  "interval",
  { type: "string", enum: CANDLE_INTERVALS },
  "length of a bar",
);
export const ORDER_ID = needed("orderId", ID, "2011 for one that is not there");
export const ANY_ORDER_ID = optional("orderId", ID, "2011 for one that is not there");
export const INCOME_TYPE = optional(
  "type",
  { type: "string", enum: ["ALL", ...EVERY_INCOME_TYPE], default: "ALL" },
  "which incomes",
);
export const ORDER_TERMS: readonly ApiParameter[] = [
  MARKET,
  needed("side", { type: "string", enum: ["BUY", "SELL"] }, "of the order"),
  needed("orderType", { type: "string", enum: ["LIMIT", "MARKET"] }, "of the order"),
  needed("amount", DECIMAL, "of the base asset"),
  needed("price", DECIMAL, "worst accepted, in the quote asset"),
  optional(
    "timeInForce",
    { type: "string", enum: TIMES_IN_FORCE, default: "GTC" },
    "how long it may rest",
  ),
  optional("expiration", INSTANT, "GTT only: more than 1 minute and less than 7 days ahead"),
];
export const SIGNED_ORDER: readonly ApiParameter[] = [
  ...ORDER_TERMS,
  needed(
    "orderSignature",
    { type: "string", pattern: "^(0[xX])?[0-9a-fA-F]{128}1[bBcC]$" },
    `over the order's EIP-712 hash; ${SPELLINGS}`,
  ),
  needed(
    "info",
    { type: "string", pattern: "^(0[xX])?[0-9a-fA-F]{64}$" },
    `fee rates, expiration and nonce, as signed; ${SPELLINGS}`,
  ),
  optional(
    "gasFeeQuotation",
    { type: "string" },
    "of the build answer; needed below waiveGasFeeMinimumAmount",
  ),
];
export const AMOUNT = needed("amount", DECIMAL, "quote credit");
export const ACCOUNT = needed("account", ADDRESS, "the account");
export const OPERATOR = needed(
  "operator",
  ADDRESS,
  "who may, or no longer may, sign for the account",
);
export const IS_VALID = needed(
  "isValid",
  { type: "string", enum: ["true", "false"] },
  "whether it may",
);

/** What every signed request carries besides its own (protocol 1). */
export const SIGNING: readonly ApiParameter[] = [
  needed(
    "account",
    ADDRESS,
    "for whom: the signer's own account, or one whose operator the signer is",
  ),
  needed("timestamp", INSTANT, "of signing, milliseconds; outside the window it is 1011"),
  needed(
    "signature",
    { type: "string", pattern: "^(0[xX])?[0-9a-fA-F]{130}$" },
    `EIP-191 signature over all other parameters, sorted by name and form-encoded; ${SPELLINGS}`,
  ),
];
