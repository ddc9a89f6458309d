import { type Duck, pathSql } from "../../history/store/duck.js";
import { DAY_COLUMNS, type DAY_STRUCTS } from "./day-columns.js";
import type { DayRow } from "./day-row.js";

/** A value of a result as the database's client gives it. */
type Cell = (row: number) => unknown;

/** Assigns a column of a chunk to its rows. */
type Assign = (rows: Record<string, unknown>[], cell: Cell) => void;

/**
 * Reads the rows of Parquet files in their order, one chunk at a time. The files were written by
 * this program, so that their types are known.
 * @param where a condition of SQL
 * @throws Error of the database for a file that cannot be read
 */
export async function* readParquetRows(
  duck: Duck,
  paths: readonly string[],
  where = "true",
): AsyncGenerator<readonly DayRow[], void> {
  const names = DAY_COLUMNS.map(({ name }) => `"${name}"`).join(", ");
  const select = `SELECT ${names} FROM read_parquet([${paths.map(pathSql).join(", ")}]) WHERE ${where}`;
  for await (const { rows: count, cells } of duck.chunks(select)) {
    const rows: Record<string, unknown>[] = Array.from({ length: count }, () => ({}));
    for (const [index, assign] of ASSIGN.entries()) assign(rows, cells[index] as Cell);
    yield rows as unknown as readonly DayRow[];
  }
}

/** The fields of structs that stay bigints. */
const MONEY = {
  causes: new Set<string>(),
  fills: new Set<string>(["quote", "fee"]),
  markouts: new Set<string>(),
  events: new Set<string>(),
} satisfies Readonly<Record<keyof typeof DAY_STRUCTS, ReadonlySet<string>>>;

const ASSIGN: readonly Assign[] = DAY_COLUMNS.map(({ name, kind }): Assign => {
  const read = kind === "whole" ? toWhole : kind === "units" || kind === "text" ? same : undefined;
  const of = read ?? ((value: unknown) => toStructs(value, MONEY[kind as keyof typeof MONEY]));
  return (rows, cell) => {
    for (let row = 0; row < rows.length; row += 1) {
      const value = cell(row);
      if (value !== null) (rows[row] as Record<string, unknown>)[name] = of(value);
    }
  };
});

function toWhole(value: unknown): unknown {
  return Number(value);
}

function same(value: unknown): unknown {
  return value;
}

/** A list of structs as plain objects; fields that are null are left out. */
function toStructs(value: unknown, money: ReadonlySet<string>): unknown {
  const { items } = value as { readonly items: readonly { readonly entries: object }[] };
  return items.map(({ entries }) =>
    Object.fromEntries(
      Object.entries(entries)
        .filter(([, field]) => field !== null)
        .map(([name, field]: [string, unknown]) => [
          name,
          typeof field === "bigint" && !money.has(name) ? Number(field) : field,
        ]),
    ),
  );
}
