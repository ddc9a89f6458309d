/** Characters that are shown before the first difference, and in all. */
const BEFORE = 100;
const LENGTH = 200;

/** Shortens two texts to the part where they differ, with `...` for what is left out. */
export function differingParts(one: string, two: string): readonly [one: string, two: string] {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const from = Math.max(0, at - BEFORE);
  const shorten = (text: string): string =>
    text.length <= LENGTH
      ? text
      : [
          from > 0 ? "..." : "",
          text.slice(from, from + LENGTH),
          text.length > from + LENGTH ? "..." : "",
        ].join("");
  return [shorten(one), shorten(two)];
}
