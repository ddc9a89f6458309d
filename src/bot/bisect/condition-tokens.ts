import { ConfigError } from "../../core/errors.js";

/** One word of a condition. */
export interface ConditionToken {
  readonly kind: "number" | "text" | "name" | "symbol" | "end";
  /** The word itself; of a text what its quotes hold. */
  readonly text: string;
  /** Index of its first character. */
  readonly at: number;
}

/** Most characters of a condition. */
const MOST_CHARACTERS = 4_096;

/**
 * The forms of words, tried in this order. `contains` is a word and compares like a symbol. A name
 * has dots between its keys; a key may begin with a digit after the first.
 */
const FORMS: readonly (readonly [ConditionToken["kind"] | "space", RegExp])[] = [
  ["space", /\s+/y],
  ["number", /-?\d+(?:\.\d+)?(?![\w.])/y],
  ["text", /"[^"]*"|'[^']*'/y],
  ["symbol", />=|<=|==|!=|>|<|\(|\)|contains(?![\w.-])/y],
  ["name", /[A-Za-z_][\w-]*(?:\.[\w-]+)*/y],
];

/**
 * Splits a condition into words; the last one is of kind `end`.
 * @param option that has the condition, for errors
 * @throws ConfigError naming the place of a character that begins no word
 */
export function readTokens(text: string, option: string): readonly ConditionToken[] {
  if (text.length > MOST_CHARACTERS)
    throw new ConfigError("is too long", {
      field: option,
      value: text,
      expected: `at most ${MOST_CHARACTERS} characters`,
    });
  const tokens: ConditionToken[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, found] = formAt(text, at) ?? [];
    if (kind === undefined || found === undefined)
      throw new ConfigError(`cannot be read at character ${at + 1}`, {
        field: option,
        value: text,
        expected:
          "fields of the status, numbers such as 0.4, texts in quotes, > >= < <= == != contains, and, or, not, parentheses",
      });
    if (kind !== "space")
      tokens.push({ kind, text: kind === "text" ? found.slice(1, -1) : found, at });
    at += found.length;
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

function formAt(
  text: string,
  at: number,
): readonly [ConditionToken["kind"] | "space", string] | undefined {
  for (const [kind, form] of FORMS) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (found !== null) return [kind, found[0]];
  }
  return undefined;
}
