/** The exchange's error codes (protocol 2); where the public text of a code is unknown, it is ours. */
export const CODE_TEXTS = {
  1010: "Unauthorized",
  1011: "Invalid timestamp",
  1012: "Invalid signature",
  1110: "Invalid account address",
  1111: "Bad params",
  1112: "Invalid market id",
  1113: "Invalid time period",
  2010: "Internal error",
  2011: "No such order",
  2012: "Margin insufficient",
  2013: "Market trading not enabled",
  2014: "Market trading disabled",
  2015: "Market delisted",
  2016: "Invalid order",
  2017: "Max open orders exceeded",
  2018: "Duplicated account",
  4010: "Price greater than max price",
  4011: "Price less than min price",
  4012: "Invalid order info",
  4013: "Exposure greater than max account limit",
} as const;

/** A code that the exchange answers with. */
export type ApiCode = keyof typeof CODE_TEXTS;
