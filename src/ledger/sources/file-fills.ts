import { z } from "zod";
import type { VenueTrade } from "../../exchange/records.js";
import { type FillState, fillKey } from "../ledger-event.js";
import { readJsonLines } from "./json-lines.js";

const whole = z
  .string()
  .regex(/^-?\d+$/)
  .transform((text) => BigInt(text));

const lineSchema = z.object({
  event: z.enum(["fill", "settled", "trade-failed"]),
  id: z.string().regex(/^\d{1,20}$/),
  marketId: z.string(),
  side: z.enum(["BUY", "SELL"]),
  isMaker: z.boolean(),
  ticks: z.number(),
  lots: z.number(),
  restPaper: whole.optional(),
  quote: whole,
  commission: whole,
  timeMs: z.number(),
});

/** A trade of `fills.jsonl`, with the state that its lines give. */
export interface FileFill extends Omit<VenueTrade, "status"> {
  readonly state: FillState;
}

/** The trades of `fills.jsonl`, each once, and the lines that are not of its form. */
export interface FileFills {
  readonly fills: ReadonlyMap<string, FileFill>;
  readonly unreadableLines: number;
}

const STATES = { fill: "pending", settled: "settled", "trade-failed": "failed" } as const;

/**
 * Reads the bot's record of trades. Of a trade's lines the first gives the amounts, and any of them
 * the state.
 * @throws errors of the file system
 */
export async function readFileFills(path: string): Promise<FileFills> {
  const fills = new Map<string, FileFill>();
  let unreadableLines = 0;
  for await (const line of readJsonLines(path)) {
    const read = lineSchema.safeParse(line);
    if (!read.success) {
      unreadableLines += 1;
      continue;
    }
    const { event, restPaper, ...trade } = read.data;
    const key = fillKey(trade);
    const known = fills.get(key);
    const state = event === "fill" && known !== undefined ? known.state : STATES[event];
    const rest = restPaper === undefined ? {} : { restPaper };
    fills.set(key, { ...(known ?? { ...trade, ...rest }), state });
  }
  return { fills, unreadableLines };
}
