import { z } from "zod";

/** A price, amount, fee or rate as the exchange writes it: a plain decimal string, never a JSON number (specification, "General"). */
export const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ format: "decimal" });

/** A decimal that is never negative. */
export const unsignedDecimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .meta({ format: "decimal" });

/** A 64-bit identifier, as a JSON integer that may pass 2^53. */
export const int64 = z.number().meta({ type: "integer", format: "int64", minimum: 0 });

/** Milliseconds since the epoch. */
export const ms = z
  .int()
  .min(0)
  .meta({ format: "int64", description: "milliseconds since the epoch" });

/** A count, or a whole number that is never negative. */
export const whole = z.int().min(0);

/** An address, in whatever case it was registered. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .meta({ format: "address" });

/** 32 bytes in lower-case hex. */
export const hash32 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ format: "32 bytes" });

/** Whole smallest units, signed. */
export const units = z
  .string()
  .regex(/^-?\d+$/)
  .meta({ format: "smallest units" });

/** A market's id. */
export const marketId = z.string().regex(/^[a-z0-9]{1,64}$/);
