import type { Ms } from "../../core/units.js";
import { type Operand, operandName, readOperand } from "./condition.js";
import type { StatusDocument, StatusValue } from "./status-fields.js";

/** A value that a field had, and the first turn that had it. */
export interface ReachedValue<T extends StatusValue = StatusValue> {
  readonly value: T;
  readonly turn: number;
  readonly atMs: Ms;
}

/** The values that one side of a comparison had in the turns of a search. */
export interface ValueRange {
  /** As the condition writes it. */
  readonly name: string;
  /** Of numbers; undefined for others, and for a field that was missing in every turn. */
  readonly lowest: ReachedValue<number> | undefined;
  readonly highest: ReachedValue<number> | undefined;
  /** The newest value, since when; of a list its last one. */
  readonly last: ReachedValue | undefined;
}

interface OpenRange {
  lowest?: ReachedValue<number>;
  highest?: ReachedValue<number>;
  last?: ReachedValue;
}

/** Collects the extremes of the values that a condition compares. */
export class ValueRanges {
  readonly #operands: readonly Operand[];
  readonly #ranges: OpenRange[];

  constructor(operands: readonly Operand[]) {
    this.#operands = operands;
    this.#ranges = operands.map(() => ({}));
  }

  /** Takes the values after a turn. */
  take(document: StatusDocument, turn: number, atMs: Ms): void {
    for (const [index, operand] of this.#operands.entries()) {
      const range = this.#ranges[index];
      if (range === undefined) continue;
      for (const value of readOperand(operand, document)) {
        if (range.last?.value !== value) range.last = { value, turn, atMs };
        if (typeof value !== "number") continue;
        const reached = { value, turn, atMs };
        if (range.lowest === undefined || value < range.lowest.value) range.lowest = reached;
        if (range.highest === undefined || value > range.highest.value) range.highest = reached;
      }
    }
  }

  /** The ranges so far, in the order of the condition. */
  list(): readonly ValueRange[] {
    return this.#operands.map((operand, index) => ({
      name: operandName(operand),
      lowest: this.#ranges[index]?.lowest,
      highest: this.#ranges[index]?.highest,
      last: this.#ranges[index]?.last,
    }));
  }
}
