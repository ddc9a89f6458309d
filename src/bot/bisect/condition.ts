import {
  readField,
  type StatusDocument,
  type StatusField,
  type StatusValue,
} from "./status-fields.js";

/** The operators that compare two values. */
export type Comparator = ">" | ">=" | "<" | "<=" | "==" | "!=" | "contains";

/** One side of a comparison. */
export type Operand =
  | { readonly kind: "literal"; readonly value: StatusValue }
  | { readonly kind: "field"; readonly field: StatusField }
  /** The absolute value of numbers. */
  | { readonly kind: "abs"; readonly of: Operand }
  /** How many values a field has: 0 while it is missing. */
  | { readonly kind: "count"; readonly field: StatusField };

/** A condition over the status of a bot (docs/reference/bisect.md). */
export type Condition =
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "not"; readonly of: Condition }
  | {
      readonly kind: "compare";
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    };

/**
 * True if a condition holds in a status. A comparison holds if it holds for a value of each side: a
 * missing field has none, and a list may have many.
 */
export function holdsIn(condition: Condition, document: StatusDocument): boolean {
  switch (condition.kind) {
    case "and":
      return holdsIn(condition.left, document) && holdsIn(condition.right, document);
    case "or":
      return holdsIn(condition.left, document) || holdsIn(condition.right, document);
    case "not":
      return !holdsIn(condition.of, document);
    case "compare": {
      const { comparator } = condition;
      const right = readOperand(condition.right, document);
      return readOperand(condition.left, document).some((one) =>
        right.some((other) => compare(comparator, one, other)),
      );
    }
  }
}

/** Reads the values of one side of a comparison. */
export function readOperand(operand: Operand, document: StatusDocument): readonly StatusValue[] {
  switch (operand.kind) {
    case "literal":
      return [operand.value];
    case "field":
      return readField(document, operand.field);
    case "abs":
      return readOperand(operand.of, document).map((value) => Math.abs(Number(value)));
    case "count":
      return [readField(document, operand.field).length];
  }
}

function compare(comparator: Comparator, one: StatusValue, other: StatusValue): boolean {
  switch (comparator) {
    case ">":
      return one > other;
    case ">=":
      return one >= other;
    case "<":
      return one < other;
    case "<=":
      return one <= other;
    case "==":
      return one === other;
    case "!=":
      return one !== other;
    case "contains":
      return String(one).includes(String(other));
  }
}

/** The sides of all comparisons that read the status, each name once, in the order of the text. */
export function listOperands(condition: Condition): readonly Operand[] {
  const byName = new Map<string, Operand>();
  const add = (operand: Operand): void => {
    if (operand.kind !== "literal" && fieldOf(operand) !== undefined)
      byName.set(operandName(operand), operand);
  };
  const visit = (part: Condition): void => {
    if (part.kind === "compare") {
      add(part.left);
      add(part.right);
    } else if (part.kind === "not") visit(part.of);
    else {
      visit(part.left);
      visit(part.right);
    }
  };
  visit(condition);
  return [...byName.values()];
}

/** The field that an operand reads; undefined for a literal. */
export function fieldOf(operand: Operand): StatusField | undefined {
  if (operand.kind === "literal") return undefined;
  return operand.kind === "abs" ? fieldOf(operand.of) : operand.field;
}

/** An operand as the condition writes it, such as `abs(position.btcusdc)`. */
export function operandName(operand: Operand): string {
  switch (operand.kind) {
    case "literal":
      return JSON.stringify(operand.value);
    case "field":
      return operand.field.name;
    case "abs":
      return `abs(${operandName(operand.of)})`;
    case "count":
      return `count(${operand.field.name})`;
  }
}
