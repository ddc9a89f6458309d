import type { ScriptFill } from "./scripted-quotes.js";

/** The comparison of two engines' fills. */
export interface FillComparison {
  /** Fills of the same side, price and exchange time in both. */
  readonly equal: number;
  readonly onlyOurs: readonly ScriptFill[];
  readonly onlyTheirs: readonly ScriptFill[];
}

/** Pairs each of our fills with one of theirs; either engine may have further fills. */
export function compareFills(
  ours: readonly ScriptFill[],
  theirs: readonly ScriptFill[],
): FillComparison {
  const unpaired = new Map<string, ScriptFill[]>();
  for (const fill of theirs) {
    const alike = unpaired.get(keyOf(fill));
    if (alike === undefined) unpaired.set(keyOf(fill), [fill]);
    else alike.push(fill);
  }
  const onlyOurs = ours.filter((fill) => unpaired.get(keyOf(fill))?.pop() === undefined);
  return {
    equal: ours.length - onlyOurs.length,
    onlyOurs,
    onlyTheirs: [...unpaired.values()].flat(),
  };
}

function keyOf({ side, ticks, exchangeUs }: ScriptFill): string {
  return `${exchangeUs} ${side} ${ticks}`;
}
