import { z } from "zod";
import type { Lots, Ms } from "../core/units.js";
import type { HedgeContract, HedgeFill, HedgeFunding, HedgeUnits } from "./hedge-venue.js";

const units = z
  .string()
  .regex(/^-?\d+$/)
  .transform((text) => BigInt(text));
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const common = { venue: z.string(), symbol: z.string(), timeMs: z.int() };

const schema = z.discriminatedUnion("event", [
  /** The hedge begins: every later change of it is in the record. */
  z.object({ event: z.literal("began"), ...common }),
  z.object({
    /** `reversed`: the venue has taken the fill back. */
    event: z.enum(["fill", "reversed"]),
    ...common,
    id: z.string(),
    side: z.enum(["BUY", "SELL"]),
    base: decimal,
    baseAsset: z.string(),
    /** Unsigned, 10^-8 of the asset, as `fee`: paid above 0. */
    quote: units,
    quoteAsset: z.string(),
    fee: units,
    feeAsset: z.string(),
    isMaker: z.boolean(),
    /** The bot's key of the order; absent for an order that is not the bot's. */
    key: z.string().optional(),
  }),
  z.object({
    event: z.literal("funding"),
    ...common,
    id: z.string(),
    /** Received above 0, 10^-8 of the asset. */
    amount: units,
    asset: z.string(),
  }),
  z.object({
    /** A position that no fill explains was taken over, at the mid. */
    event: z.literal("adopted"),
    ...common,
    base: decimal,
    baseAsset: z.string(),
    cash: units,
    quoteAsset: z.string(),
  }),
]);

/** A change of a hedge as its record has it, one line each. */
export type HedgeRecord = z.output<typeof schema>;

/** The record as a line of JSON: large integers are texts. */
export function encodeHedgeRecord(record: HedgeRecord): string {
  return JSON.stringify(record, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** The record of a parsed line; undefined for one that a crash has cut, or of a later version. */
export function decodeHedgeRecord(line: unknown): HedgeRecord | undefined {
  return schema.safeParse(line).data;
}

/** Makes the records of one hedge. */
export class HedgeRecorder {
  readonly #venue: string;
  readonly #contract: HedgeContract;
  readonly #write: (record: HedgeRecord) => void;

  constructor(venue: string, contract: HedgeContract, write: (record: HedgeRecord) => void) {
    this.#venue = venue;
    this.#contract = contract;
    this.#write = write;
  }

  began(timeMs: Ms): void {
    this.#write({ event: "began", ...this.#common, timeMs });
  }

  fill({ key, side, lots, isReversed, ...fill }: HedgeFill): void {
    const { instrument, baseAsset, quoteAsset } = this.#contract;
    const { id, quote, fee, feeAsset, isMaker, timeMs } = fill;
    this.#write({
      event: isReversed ? "reversed" : "fill",
      ...this.#common,
      timeMs,
      id,
      side,
      base: instrument.formatAmount(lots),
      baseAsset,
      quote,
      quoteAsset,
      fee,
      feeAsset,
      isMaker,
      ...(key === undefined ? {} : { key }),
    });
  }

  funding({ id, amount, asset, timeMs }: HedgeFunding): void {
    this.#write({ event: "funding", ...this.#common, timeMs, id, amount, asset });
  }

  adopted(timeMs: Ms, lots: Lots, cash: HedgeUnits): void {
    const { instrument, baseAsset, quoteAsset } = this.#contract;
    const base = instrument.formatAmount(lots);
    this.#write({ event: "adopted", ...this.#common, timeMs, base, baseAsset, cash, quoteAsset });
  }

  get #common() {
    return { venue: this.#venue, symbol: this.#contract.symbol };
  }
}
