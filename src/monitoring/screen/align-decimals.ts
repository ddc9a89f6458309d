/**
 * Pads decimal strings to one width, so that their points are below each other. Other texts end
 * where the numbers end.
 * @param leastDecimals there is room for as many decimals, whether a text has them or not
 */
export function alignDecimals(texts: readonly string[], leastDecimals = 0): readonly string[] {
  const parts = texts.map((text) => {
    const match = /^([+-]?\d+)(\.\d+)?$/.exec(text);
    return match === null ? undefined : { whole: match[1] ?? "", fraction: match[2] ?? "" };
  });
  const wholes = Math.max(0, ...parts.map((part) => part?.whole.length ?? 0));
  const least = leastDecimals === 0 ? 0 : leastDecimals + 1;
  const fractions = Math.max(least, ...parts.map((part) => part?.fraction.length ?? 0));
  const width = Math.max(wholes + fractions, ...texts.map((text) => [...text].length));
  return texts.map((text, at) => {
    const part = parts[at];
    const aligned = part === undefined ? text : part.whole + part.fraction.padEnd(fractions);
    return " ".repeat(Math.max(0, width - [...aligned].length)) + aligned;
  });
}
