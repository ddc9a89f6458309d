import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { Comparator, Condition, Operand } from "./condition.js";
import { type ConditionToken, readTokens } from "./condition-tokens.js";
import { type ComparedKind, findStatusField, type StatusField } from "./status-fields.js";

/** The option that has the condition, for errors. */
const OPTION = "--when";
/** Levels of parentheses, `not` and `abs` within each other. */
const MOST_LEVELS = 100;
const COMPARATORS: readonly Comparator[] = [">", ">=", "<", "<=", "==", "!=", "contains"];
const COMPARISON = `a comparison, such as > 0.4 (${COMPARATORS.join(" ")})`;
const VALUE = "a field of the status, a number, a text in quotes, true, false, abs() or count()";

/**
 * Parses a condition over the fields of a status:
 * `abs(position.btcusdc) > 0.4 and not halts contains "manual"`.
 * @param markets of the journal: a field of another market does not exist
 * @throws ConfigError naming the place and what is expected there
 */
export function parseCondition(text: string, markets: readonly MarketId[]): Condition {
  return new ConditionParser(text, markets).parse();
}

/** A parser by recursive descent: `or` binds weaker than `and`, and `and` weaker than `not`. */
class ConditionParser {
  readonly #text: string;
  readonly #markets: readonly MarketId[];
  readonly #tokens: readonly ConditionToken[];
  #next = 0;
  #level = 0;

  constructor(text: string, markets: readonly MarketId[]) {
    this.#text = text;
    this.#markets = markets;
    this.#tokens = readTokens(text, OPTION);
  }

  parse(): Condition {
    const condition = this.#or();
    if (this.#peek().kind !== "end") throw this.#unexpected("and, or, or the end");
    return condition;
  }

  #or(): Condition {
    let left = this.#and();
    while (this.#take("or")) left = { kind: "or", left, right: this.#and() };
    return left;
  }

  #and(): Condition {
    let left = this.#not();
    while (this.#take("and")) left = { kind: "and", left, right: this.#not() };
    return left;
  }

  #not(): Condition {
    if (this.#take("not")) return this.#nested(() => ({ kind: "not", of: this.#not() }));
    if (!this.#take("(")) return this.#comparison();
    return this.#nested(() => {
      const condition = this.#or();
      this.#expect(")");
      return condition;
    });
  }

  #comparison(): Condition {
    const start = this.#peek();
    const left = this.#operand();
    const token = this.#peek();
    const comparator = COMPARATORS.find((known) => known === token.text && token.kind === "symbol");
    if (comparator === undefined) {
      // A value that is true or false needs no comparison.
      if (left.kind === "field" && left.field.kind === "boolean")
        return { kind: "compare", comparator: "==", left, right: { kind: "literal", value: true } };
      throw this.#unexpected(COMPARISON);
    }
    this.#next += 1;
    const right = this.#operand();
    this.#checkKinds(start, left, comparator, right);
    return { kind: "compare", comparator, left, right };
  }

  #operand(): Operand {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === "number") return { kind: "literal", value: Number(token.text) };
    if (token.kind === "text") return { kind: "literal", value: token.text };
    if (token.kind === "name") {
      const isCall = this.#peek().text === "(" && this.#peek().kind === "symbol";
      if (isCall && token.text === "abs") return this.#abs();
      if (isCall && token.text === "count") return this.#count();
      if (token.text === "true" || token.text === "false")
        return { kind: "literal", value: token.text === "true" };
      return { kind: "field", field: this.#field(token) };
    }
    this.#next -= 1;
    throw this.#unexpected(VALUE);
  }

  #abs(): Operand {
    return this.#nested(() => {
      this.#expect("(");
      const token = this.#peek();
      const of = this.#operand();
      if (kindOf(of) !== "number") throw this.#wrong(token, "is not a number", "abs() of a number");
      this.#expect(")");
      return { kind: "abs", of };
    });
  }

  #count(): Operand {
    this.#expect("(");
    const token = this.#peek();
    if (token.kind !== "name")
      throw this.#unexpected("a field of the status, such as count(halts)");
    this.#next += 1;
    const field = this.#field(token);
    this.#expect(")");
    return { kind: "count", field };
  }

  #field(token: ConditionToken): StatusField {
    const found = findStatusField(token.text, this.#markets);
    if (!("problem" in found)) return found;
    const { problem, nearest } = found;
    const meant = nearest === undefined ? "" : `${nearest}, or `;
    throw this.#wrong(
      token,
      problem,
      `${meant}another field of docs/reference/status.md; markets are ${this.#markets.join(", ")}, and texts are in quotes`,
    );
  }

  #checkKinds(start: ConditionToken, left: Operand, comparator: Comparator, right: Operand): void {
    const [one, other] = [kindOf(left), kindOf(right)];
    if (comparator === "contains") {
      if (one === "text" && other === "text") return;
      throw this.#wrong(
        start,
        "is compared with contains, which needs texts on both sides",
        'a text or a list of texts before contains, and a text after it: halts contains "manual"',
      );
    }
    if (one !== other)
      throw this.#wrong(
        start,
        `is a ${one}, and is compared with a ${other}`,
        one === "text" ? "a text in quotes" : `a ${one}`,
      );
    if (one !== "number" && comparator !== "==" && comparator !== "!=")
      throw this.#wrong(start, `is a ${one}, which has no order`, "== or !=");
  }

  #nested<T>(parse: () => T): T {
    this.#level += 1;
    if (this.#level > MOST_LEVELS)
      throw this.#unexpected(`at most ${MOST_LEVELS} levels of parentheses`);
    const parsed = parse();
    this.#level -= 1;
    return parsed;
  }

  #peek(): ConditionToken {
    return this.#tokens[this.#next] as ConditionToken;
  }

  #take(text: string): boolean {
    const { kind, text: found } = this.#peek();
    const isThere = found === text && (kind === "symbol" || kind === "name");
    if (isThere) this.#next += 1;
    return isThere;
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(text);
  }

  #unexpected(expected: string): ConfigError {
    const token = this.#peek();
    if (token.kind !== "end") return this.#wrong(token, "is unexpected", expected);
    return this.#error(`the condition ends at character ${token.at + 1}`, expected);
  }

  #wrong(token: ConditionToken, problem: string, expected: string): ConfigError {
    return this.#error(`"${token.text}" at character ${token.at + 1} ${problem}`, expected);
  }

  #error(summary: string, expected: string): ConfigError {
    return new ConfigError(summary, { field: OPTION, value: this.#text, expected });
  }
}

function kindOf(operand: Operand): ComparedKind {
  switch (operand.kind) {
    case "literal":
      return typeof operand.value === "string"
        ? "text"
        : typeof operand.value === "number"
          ? "number"
          : "boolean";
    case "field":
      return operand.field.kind;
    default:
      return "number";
  }
}
