import { placeName, readTable } from "./break-table.js";
import type { RuleId, Side } from "./rules.js";
import { wrapped } from "./wrapped-source.js";

/**
 * A rule switched off: a change of the sources that the rule's tests on that side have to notice.
 */
export interface Break {
  readonly rule: RuleId;
  readonly side: Side;
  /** The property that no longer holds, for the table. */
  readonly what: string;
  /** The function, method or constant that no longer keeps the rule. */
  readonly place: string;
  /** The file that changes, from the project's root. */
  readonly file: string;
  /** The file's text without the rule. @throws Error when it has no such place, or more than one */
  change(text: string): string;
}

/** A break as a table writes it. */
export interface BreakRow {
  readonly rule: RuleId;
  readonly what: string;
}

/**
 * Switches a rule off where one function, method or constant keeps it.
 * @param at names it: `() => orderRecord`, `() => Journal.prototype.page`, or {@link hidden}.
 * @param wrap makes of what keeps the rule what does not, and is put into the sources as it is
 * written: it may use what its
 *   table imports, and nothing else of it. A method comes bound, with the object behind it.
 */
export function broken<Kept>(
  rule: RuleId,
  what: string,
  _at: () => Kept,
  _wrap: (kept: Kept, self: never) => Kept,
): BreakRow {
  return { rule, what };
}

/**
 * A private member of a module or a class: a private method by its `#`, a function or a constant
 * without.
 * @param _beside the class, or any export of the module.
 */
export function hidden<Kept>(_beside: () => unknown, _name: string): () => Kept {
  return () => {
    throw new Error("the table of breaks is read, and names nothing that can be called");
  };
}

/** The breaks of one side. @param table its `import.meta.url`, from whose text they are read. */
export function breaksOf(side: Side, table: string, rows: readonly BreakRow[]): readonly Break[] {
  const written = readTable(table);
  return rows.map(({ rule, what }) => {
    const one = written(rule, what);
    return {
      rule,
      side,
      what,
      place: placeName(one.place),
      file: one.place.file,
      change: (text) => wrapped(text, one),
    };
  });
}
