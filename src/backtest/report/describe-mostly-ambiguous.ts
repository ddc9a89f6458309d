import { AMBIGUITY_TEXTS, type AmbiguousFillSum } from "../record/ambiguous-fills.js";

const MOST = 0.5;
const KINDS = ["asTakers", "asMakers", "postOnly"] as const;

/**
 * A market's fills, and the ambiguous ones: history does not show whether their orders rested
 * first.
 */
interface MarketFillCounts {
  readonly marketId: string;
  readonly fills: {
    readonly all: { readonly fills: number };
    readonly doubtful: Readonly<Record<(typeof KINDS)[number], Pick<AmbiguousFillSum, "fills">>>;
  };
}

/**
 * A sentence for each market in which more than half of the fills are ambiguous; empty where there
 * are none.
 */
export function describeMostlyAmbiguous({
  marketId,
  fills: { all, doubtful: ambiguous },
}: MarketFillCounts): string[] {
  const doubted = KINDS.filter((kind) => ambiguous[kind].fills > 0);
  const count = doubted.reduce((sum, kind) => sum + ambiguous[kind].fills, 0);
  if (count <= MOST * all.fills) return [];
  const kinds = doubted
    .map((kind) => `${ambiguous[kind].fills} ${AMBIGUITY_TEXTS[kind]}`)
    .join(", ");
  return [`${marketId}: most of its fills are ambiguous, ${count} of ${all.fills}: ${kinds}`];
}
