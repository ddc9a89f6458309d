import type { RuleId, Side } from "./rules.js";

/** A rule switched off: a change of the sources that the rule's tests on that side have to notice. */
export interface Break {
  readonly rule: RuleId;
  readonly side: Side;
  /** What no longer holds, for the table. */
  readonly what: string;
  /** From the project's root. */
  readonly file: string;
  /** Stands in the file exactly once, however its lines are broken: see {@link placesOf}. */
  readonly find: string;
  readonly replace: string;
}

/** The breaks of one side, as the tables write them. */
export type BreakRow = readonly [
  rule: RuleId,
  what: string,
  file: string,
  find: string,
  replace: string,
];

/** Reads a table. */
export function breaksOf(side: Side, folder: string, rows: readonly BreakRow[]): readonly Break[] {
  return rows.map(([rule, what, file, find, replace]) => ({
    rule,
    side,
    what,
    file: `${folder}/${file}`,
    find,
    replace,
  }));
}

/**
 * Where a piece of source stands in a text, as `[start, end)`. White space does not count, and neither does the comma that a
 * formatter writes behind the last of several when each has a line of its own, so that a text that is formatted anew has the
 * piece where it had it.
 */
export function placesOf(
  piece: string,
  text: string,
): readonly (readonly [start: number, end: number])[] {
  const whole = bare(piece).text;
  // The comma at its end is one that a formatter may have written, and goes with the piece.
  const wanted = whole.replace(/,$/, "");
  const { text: searched, offsets } = bare(text);
  const places: [number, number][] = [];
  for (
    let at = searched.indexOf(wanted);
    wanted !== "" && at >= 0;
    at = searched.indexOf(wanted, at + 1)
  ) {
    const end = (offsets[at + wanted.length - 1] as number) + 1;
    const comma = wanted === whole ? undefined : /^\s*,/.exec(text.slice(end, end + 200));
    places.push([offsets[at] as number, end + (comma?.[0].length ?? 0)]);
  }
  return places;
}

/** A text without what formatting adds, and where each of its characters stood. */
function bare(text: string): { readonly text: string; readonly offsets: readonly number[] } {
  let kept = "";
  const offsets: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (/\s/.test(char) || (char === "," && /^,\s*[)\]}>]/.test(text.slice(at, at + 200))))
      continue;
    kept += char;
    offsets.push(at);
  }
  return { text: kept, offsets };
}
