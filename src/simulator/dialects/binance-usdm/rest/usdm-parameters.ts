import { z } from "zod";
import { UsdmError, type UsdmErrorCode } from "../usdm-error.js";

/** The parameters of a request, decoded. */
export type UsdmParameters = ReadonlyMap<string, string>;

/** The codes of parameters that have their own. */
const CODES: Readonly<Record<string, UsdmErrorCode>> = {
  symbol: "-1121",
  side: "-1117",
  type: "-1116",
  timeInForce: "-1115",
  interval: "-1120",
  newOrderRespType: "-1136",
  newClientOrderId: "-4015",
  positionSide: "-4061",
  leverage: "-4028",
};

/** A symbol. */
export const symbolText = z.string().regex(/^[A-Z0-9_-]{1,20}$/);
/** A whole number from 0 on. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number);
/** An unsigned decimal. */
export const decimalText = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);
/** `true` or `false`, in capitals or not. */
export const flag = z
  .string()
  .regex(/^(true|false)$/i)
  .transform((text) => text.toLowerCase() === "true");
/** A client's own id of an order: `^[\.A-Z\:/a-z0-9_-]{1,36}$`. */
export const clientIdText = z.string().regex(/^[.A-Z:/a-z0-9_-]{1,36}$/);

/** The `limit` of a list. */
export function limitUpTo(most: number, usual: number) {
  return wholeNumber
    .refine((limit) => limit >= 1 && limit <= most)
    .optional()
    .transform((limit) => limit ?? usual);
}

/** `startTime` and `endTime`, both inclusive. */
export const timeSpan = { startTime: wholeNumber.optional(), endTime: wholeNumber.optional() };

/**
 * Reads the parameters that a shape names. An empty one counts as not sent.
 * @throws UsdmError with the code of the first that is missing or malformed
 */
export function readUsdmParameters<Shape extends z.ZodRawShape>(
  shape: z.ZodObject<Shape>,
  parameters: UsdmParameters,
): z.output<z.ZodObject<Shape>> {
  const given: Record<string, string> = {};
  for (const name of Object.keys(shape.shape)) {
    const value = parameters.get(name);
    if (value !== undefined && value !== "") given[name] = value;
  }
  const result = shape.safeParse(given);
  if (!result.success) throw refusalOf(result.error.issues[0], given);
  const { startTime, endTime } = result.data as { startTime?: number; endTime?: number };
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw new UsdmError("-1023");
  }
  return result.data;
}

function refusalOf(
  issue: { readonly path: readonly PropertyKey[] } | undefined,
  given: Readonly<Record<string, string>>,
): UsdmError {
  const name = String(issue?.path[0] ?? "");
  if (given[name] === undefined) return missing(name);
  const code = CODES[name];
  return code === undefined
    ? new UsdmError("-1130", `Data sent for parameter '${name}' is not valid.`)
    : new UsdmError(code);
}

/** The refusal of a request without a parameter that it needs. */
export function missing(name: string): UsdmError {
  return new UsdmError(
    "-1102",
    `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`,
  );
}

/**
 * Reads query and body, which are form-encoded; a parameter that is in both counts as in the query.
 * @throws UsdmError -1101 for a parameter that is twice in one of them, -1100 for invalid encoding
 */
export function readForms(query: string, body: string): Map<string, string> {
  const parameters = readForm(body);
  for (const [name, value] of readForm(query)) parameters.set(name, value);
  return parameters;
}

function readForm(form: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const pair of form.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (found.has(name)) {
      throw new UsdmError("-1101", `Duplicate values for parameter '${name.slice(0, 64)}'.`);
    }
    found.set(name, equals < 0 ? "" : decode(pair.slice(equals + 1)));
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new UsdmError("-1100");
  }
}
