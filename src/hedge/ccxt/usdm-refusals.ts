import { z } from "zod";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { parseInt64Json } from "../../core/int64-json.js";
import type { Ms } from "../../core/units.js";
import type { HedgeOutcome } from "../hedge-venue.js";

/** An answer that is not a success: what it proves about the request. */
export type HedgeRefusal = Extract<
  HedgeOutcome,
  { readonly result: "rejected" | "absent" | "not-sent" | "unknown" }
>;

/** Answer of an exchange to one request, as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  /** Of the header Retry-After. */
  readonly retryAfterMs: Ms | undefined;
}

/** Proof by a listed code that comes with a status of 4xx. */
type Proof = "rejected" | "absent" | "not-sent";

/** The codes of a timestamp that the exchange does not accept. */
export const USDM_CLOCK_CODES: readonly string[] = ["-1021", "-5028"];

/** The codes of an API key that the exchange does not accept. */
export const USDM_KEY_CODES: readonly string[] = ["-1002", "-2014", "-2015", "-2017"];

const REJECTED = [
  // The request itself: its rights, signature and parameters.
  ...["-1002", "-1011", "-1013", "-1014", "-1020", "-1022", "-1023", "-1099"],
  ...["-1100", "-1101", "-1102", "-1103", "-1104", "-1105", "-1106", "-1108", "-1109", "-1110"],
  ...["-1111", "-1114", "-1115", "-1116", "-1117", "-1118", "-1119", "-1121", "-1122", "-1125"],
  ...["-1126", "-1127", "-1128", "-1130", "-1131", "-1136", "-5000"],
  // The key and the account.
  ...["-2014", "-2015", "-2017", "-2018", "-2019", "-2023", "-2024", "-2027", "-2028"],
  // The order.
  ...["-2020", "-2021", "-2022", "-2025", "-2026"],
  ...["-4001", "-4002", "-4003", "-4004", "-4005", "-4013", "-4014", "-4015", "-4016", "-4023"],
  ...["-4024", "-4061", "-4084", "-4087", "-4088", "-4109", "-4118", "-4120", "-4131", "-4140"],
  ...["-4141", "-4164", "-4183", "-4184", "-4192", "-4400", "-4401"],
  ...["-5021", "-5022"],
];

/**
 * Proof by each code of Binance USD-M
 * (https://developers.binance.com/docs/derivatives/usds-margined-futures/error-code). A code that is
 * not listed proves nothing. Left out on purpose are -1000, -1001, -1006, -1007 and -1008 (the
 * exchange may have acted), -4116 (a second copy of a place is refused while the first one may be
 * there), and -2010, under which the spot exchange refuses a second copy too.
 */
export const USDM_CODES: ReadonlyMap<string, Proof> = new Map<string, Proof>([
  ...REJECTED.map((code) => [code, "rejected"] as const),
  ["-2011", "absent"],
  ["-2013", "absent"],
  ["-1003", "not-sent"],
  ["-1015", "not-sent"],
  ...USDM_CLOCK_CODES.map((code) => [code, "not-sent"] as const),
]);

const errorShape = z.object({
  code: z.union([z.int(), z.string().regex(/^-?\d{1,9}$/)]).transform(String),
  msg: z.string(),
});

/**
 * Decides what an unsuccessful answer proves: by its HTTP status first, then by its code.
 * @param isOfOrder true if the request names one order that may be absent
 */
export function readUsdmRefusal(
  { status, body, retryAfterMs }: RawAnswer,
  isOfOrder: boolean,
): HedgeRefusal {
  const error = readError(body);
  const text = maskSecrets(
    error === undefined ? `HTTP ${status}` : `HTTP ${status}, ${error.code}: ${error.msg}`,
  );
  if (status === 429 || status === 418) return { result: "not-sent", message: text, retryAfterMs };
  const proof =
    error === undefined || status < 400 || status > 499 ? undefined : USDM_CODES.get(error.code);
  switch (proof) {
    case "rejected":
      return { result: "rejected", code: error?.code ?? "", message: text };
    case "not-sent":
      return { result: "not-sent", message: text, retryAfterMs };
    case "absent":
      return isOfOrder ? { result: "absent", message: text } : { result: "unknown", message: text };
    case undefined:
      return { result: "unknown", message: text };
  }
}

/** The code of an unsuccessful answer; undefined without one. */
export function readUsdmCode(body: string): string | undefined {
  return readError(body)?.code;
}

function readError(body: string): z.output<typeof errorShape> | undefined {
  try {
    return errorShape.safeParse(parseInt64Json(body)).data;
  } catch (error) {
    // A page of a proxy, in place of the exchange's JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
