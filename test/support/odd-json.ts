import fc from "fast-check";

/** A change of one value somewhere in a JSON document. */
export interface OddChange {
  /**
   * Which of the document's values, in the order in which they are met; beyond the last it begins
   * again.
   */
  readonly at: number;
  readonly become: OddValue;
}

/** The replacement of a value: another one, nothing at all, or itself in another form. */
export type OddValue =
  | { readonly kind: "value"; readonly value: unknown }
  /** Of hex data, one of its words. */
  | { readonly kind: "word"; readonly at: number; readonly word: string }
  | {
      readonly kind:
        | "removed"
        | "in a list"
        | "as a text"
        | "as a number"
        | "twice"
        | "emptied"
        | "nested deeply";
    };

const WORD = "f".repeat(64);
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  "",
  "0",
  "-1",
  "abc",
  "1e9",
  "NaN",
  "9".repeat(40),
  "0x",
  "0x0",
  "0x1",
  "0x-1",
  "0xzz",
  "0x7fffffff",
  "0x1fffffffffffff",
  "0xffffffffffffffff",
  `0x${WORD}`,
  `0x${WORD}${WORD}`,
  `0x${"0".repeat(64)}`,
  `0x${"0".repeat(39)}1`,
  [],
  [[]],
  {},
  { toString: 1, valueOf: 1 },
  { length: 3 },
  "x".repeat(100_000),
];
const WORDS = [
  "0".repeat(64),
  WORD,
  `${"0".repeat(63)}1`,
  `8${"0".repeat(63)}`,
  `${"0".repeat(48)}${"f".repeat(16)}`,
  `${"0".repeat(61)}fff`,
];
const FORMS = [
  "removed",
  "in a list",
  "as a text",
  "as a number",
  "twice",
  "emptied",
  "nested deeply",
] as const;
const DEEP = 20_000;

/** Changes that make an answer odd, each in the way of a node or server met in practice. */
export const oddChange: fc.Arbitrary<OddChange> = fc.record({
  at: fc.nat(400),
  become: fc.oneof(
    {
      weight: 2,
      arbitrary: fc.constantFrom(...VALUES).map((value): OddValue => ({ kind: "value", value })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ at: fc.nat(200), word: fc.constantFrom(...WORDS) })
        .map((word): OddValue => ({ kind: "word", ...word })),
    },
    { weight: 1, arbitrary: fc.constantFrom(...FORMS).map((kind): OddValue => ({ kind })) },
  ),
});

/** The document with one value changed; the whole document is a value, too. */
export function withChange(document: unknown, { at, become }: OddChange): unknown {
  const count = countValues(document);
  let left = at % count;
  const visit = (value: unknown): unknown => {
    if (left === 0) {
      left -= 1;
      return changed(value, become);
    }
    left -= 1;
    if (Array.isArray(value)) return value.map(visit).filter((entry) => entry !== REMOVED);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, entry]) => [key, visit(entry)] as const)
        .filter(([, entry]) => entry !== REMOVED),
    );
  };
  const result = visit(document);
  return result === REMOVED ? undefined : result;
}

/**
 * JSON texts that are not the document: cut short, of another kind, or with something behind it.
 */
export const oddText: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc
    .nat(100)
    .map((percent) => (text: string) => text.slice(0, Math.floor((text.length * percent) / 100))),
  fc.constantFrom(
    () => "",
    () => "<html><body>502 Bad Gateway</body></html>",
    () => "null",
    () => "[]",
    () => "{}",
    () => '"ok"',
    () => "1e999",
    (text: string) => `[${text}]`,
    (text: string) => `${text}${text}`,
    (text: string) => `\uFEFF${text}`,
    (text: string) => `${text.slice(0, -1)},"__proto__":{"x":1}}`,
    () => "[".repeat(100_000),
    () => `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  ),
);

/**
 * A value as JSON; empty where there is no value, and brackets alone for one that is nested too
 * deeply.
 */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`;
  }
}

const REMOVED = Symbol("removed");

function changed(value: unknown, become: OddValue): unknown {
  switch (become.kind) {
    case "value":
      return become.value;
    case "removed":
      return REMOVED;
    case "word":
      return withWord(value, become);
    case "in a list":
      return [value];
    case "as a text":
      return typeof value === "string" ? `${value}0` : String(JSON.stringify(value));
    case "as a number":
      return Number(value);
    case "twice":
      return Array.isArray(value)
        ? [...value, ...value]
        : typeof value === "string"
          ? value + value
          : { ...Object(value), value };
    case "emptied":
      return Array.isArray(value) ? [] : typeof value === "string" ? "" : {};
    case "nested deeply": {
      let nested = value;
      for (let i = 0; i < DEEP; i += 1) nested = [nested];
      return nested;
    }
  }
}

function withWord(
  value: unknown,
  { at, word }: { readonly at: number; readonly word: string },
): unknown {
  const count =
    typeof value === "string" && value.startsWith("0x") ? Math.floor((value.length - 2) / 64) : 0;
  if (typeof value !== "string" || count === 0) return word;
  const from = 2 + 64 * (at % count);
  return value.slice(0, from) + word + value.slice(from + 64);
}

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, entry) => sum + countValues(entry), 0);
}
