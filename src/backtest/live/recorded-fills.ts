import { z } from "zod";
import type { Ms } from "../../core/units.js";

const units = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt);

/** A line of `fills.jsonl` (docs/guides/keep-the-state.md#read-the-fills). */
const lineSchema = z.object({
  event: z.enum(["fill", "settled", "trade-failed"]),
  id: z.string(),
  marketId: z.string(),
  side: z.enum(["BUY", "SELL"]),
  isMaker: z.boolean(),
  ticks: z.int(),
  lots: z.int(),
  quote: units,
  commission: units,
  timeMs: z.int(),
});

/** A fill as the state's record has it. */
export type RecordedFill = Omit<z.output<typeof lineSchema>, "event">;

/** The trades of a span, in a bot's own record of them. */
export interface RecordedTrades {
  /** In order of time. */
  readonly fills: readonly RecordedFill[];
  readonly failed: number;
}

/** The identity of a fill. */
export function recordedFillKey({
  marketId,
  side,
  id,
}: Pick<RecordedFill, "marketId" | "side" | "id">) {
  return `${marketId} ${side} ${id}`;
}

/**
 * Picks the trades of a span from the lines of `fills.jsonl`, those from while no bot ran
 * included. A line that is cut or foreign is left out.
 * @param known fills that another record has: they are left out
 */
export function recordedTrades(
  lines: Iterable<string>,
  { fromMs, toMs }: { readonly fromMs: Ms; readonly toMs: Ms },
  known: ReadonlySet<string>,
): RecordedTrades {
  const fills = new Map<string, RecordedFill>();
  let failed = 0;
  for (const line of lines) {
    const read = parse(line);
    if (read === undefined || read.timeMs < fromMs || read.timeMs >= toMs) continue;
    if (read.event === "trade-failed") failed += 1;
    if (read.event !== "fill") continue;
    const key = recordedFillKey(read);
    if (!known.has(key)) fills.set(key, read);
  }
  return { fills: [...fills.values()].sort((a, b) => a.timeMs - b.timeMs), failed };
}

function parse(line: string): z.output<typeof lineSchema> | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
