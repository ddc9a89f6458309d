import { Decimal } from "decimal.js";
import { DAY_MS } from "../../core/units.js";
import { type Day, NS_A_MS, nsToMs, toDay } from "../day.js";
import { HistoryError } from "../history-errors.js";
import { familyFor, type HistoryKind } from "../kinds.js";
import { type Decimals, parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { StagedRows } from "../staging/stage-rows.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";

/** What prices and amounts are looked at for, in units of their last place: exchanges' ticks and steps are such multiples of each other. */
const DIVISORS = [2, 5, 10, 20, 25, 50, 100, 1000, 10_000] as const;
/** So many values of a day tell its steps, and so many different ones: fewer may lie on a coarser grid by chance. */
const LEAST_VALUES = 100;
const LEAST_DISTINCT = 20;

/** The columns that tell the tick and the step, by family. */
const COLUMNS: Readonly<Record<string, Readonly<Record<"prices" | "amounts", string>>>> = {
  trades: { prices: "price", amounts: "amount" },
  book: { prices: "price", amounts: "amount" },
  klines: { prices: "close", amounts: "volume" },
};

/** Rows of an import that are staged. */
interface ImportedRows {
  readonly kind: HistoryKind;
  readonly rows: StagedRows;
}

/** Steps of one day, and where they are from. */
interface DaySteps {
  readonly day: Day;
  readonly step: string;
  /** The place of the file that is imported; undefined where the store has the day. */
  readonly index: number | undefined;
}

/** The days that a store has. */
interface StoredDays {
  /** Those of a kind, ascending. */
  readonly of: (kind: HistoryKind) => readonly DayManifest[];
  readonly pathOf: (manifest: DayManifest) => string;
}

/**
 * Finds days whose prices or amounts are multiples of other steps than those of the day before or after, which is imported with them or in the store
 * already. One tick for all of them is too fine for some of them, and refused by others.
 * @returns the findings, by the place in `files` of the file that holds the later day, or the earlier one where the store has the later.
 */
export async function findChangedSteps(
  duck: Duck,
  files: readonly ImportedRows[],
  stored: StoredDays,
): Promise<ReadonlyMap<number, readonly string[]>> {
  const findings = new Map<number, string[]>();
  const find = (index: number, finding: string): unknown =>
    findings.set(index, [...(findings.get(index) ?? []), finding]);
  for (const kind of new Set(files.map((file) => file.kind))) {
    const columns = COLUMNS[familyFor(kind)];
    const ofKind = [...files.entries()].filter(([, file]) => file.kind === kind);
    const ends = endsOf(ofKind.map(([, { rows }]) => rows));
    const others = stored.of(kind).filter(({ day }) => !ends.has(day));
    if (columns === undefined || (ends.size < 2 && others.length === 0)) continue;
    for (const what of ["prices", "amounts"] as const) {
      const ask = async (
        select: string,
        decimals: Decimals,
        index: number | undefined,
      ): Promise<DaySteps[]> => {
        const found = await stepsOf(
          duck,
          select,
          columns[what],
          decimals[what === "prices" ? "price" : "amount"],
        );
        return found.map((steps) => ({ ...steps, index }));
      };
      const days: DaySteps[] = [];
      for (const [index, { rows }] of ofKind)
        days.push(...(await ask(rows.select, rows.decimals, index)));
      for (const { manifest, index } of besideOf(days, others)) {
        const path = stored.pathOf(manifest);
        try {
          days.push(
            ...(await withReadErrors(path, () =>
              ask(`SELECT * FROM ${parquetSql(path)}`, manifest.decimals, undefined),
            )),
          );
        } catch (error) {
          // A fault of a stored day must not refuse the day that is imported.
          if (!(error instanceof HistoryError)) throw error;
          find(
            index,
            `its ${what} could not be held against those of ${manifest.day}: ${error.message}`,
          );
        }
      }
      for (const { index, text } of changesIn(days, what)) find(index, text);
    }
  }
  return findings;
}

/** Where the steps of a day are others than those of the day before. @param days in any order */
function changesIn(
  days: readonly DaySteps[],
  what: "prices" | "amounts",
): { readonly index: number; readonly text: string }[] {
  const ascending = [...days].sort((one, other) => (one.day < other.day ? -1 : 1));
  return ascending.flatMap(({ day, step, index }, at) => {
    const before = ascending[at - 1];
    const of = index ?? before?.index;
    if (before === undefined || of === undefined || before.day === day || before.step === step)
      return [];
    const rule = what === "prices" ? "tick" : "step";
    const text = `all ${what} of ${before.day} are multiples of ${before.step}, and those of ${day} of ${step}: the market's ${rule} may have changed, and one for both days is wrong on either`;
    return [{ index: of, text }];
  });
}

/** The first and the last day of each of some files. */
function endsOf(files: readonly StagedRows[]): ReadonlySet<Day> {
  return new Set(
    files.flatMap(({ firstNs, lastNs }) =>
      firstNs === undefined || lastNs === undefined
        ? []
        : [toDay(nsToMs(firstNs)), toDay(nsToMs(lastNs))],
    ),
  );
}

/** The days of the store that lie next to one that is imported, each with the file of that one. */
function besideOf(
  imported: readonly DaySteps[],
  stored: readonly DayManifest[],
): readonly { readonly manifest: DayManifest; readonly index: number }[] {
  const fresh = new Map(imported.map(({ day, index }) => [day, index]));
  const others = new Map(
    stored.filter(({ day }) => !fresh.has(day)).map((manifest) => [manifest.day, manifest]),
  );
  const all = [...fresh.keys(), ...others.keys()].sort();
  return all.flatMap((day, at) => {
    const manifest = others.get(day);
    const index = [all[at - 1], all[at + 1]]
      .map((next) => (next === undefined ? undefined : fresh.get(next)))
      .find((one) => one !== undefined);
    return manifest === undefined || index === undefined ? [] : [{ manifest, index }];
  });
}

/** The coarsest of some steps that all values of a day are multiples of, for each day of which enough is there. */
async function stepsOf(
  duck: Duck,
  select: string,
  column: string,
  places: number,
): Promise<readonly { readonly day: Day; readonly step: string }[]> {
  const divided = DIVISORS.map((divisor) => `bool_and(units % ${divisor} = 0) AS by_${divisor}`);
  const units = `SELECT timeNs // ${BigInt(DAY_MS) * NS_A_MS} AS day, ${unitsSql(column, places)} AS units FROM (${select}) WHERE ${column} > 0`;
  const rows = await duck.rows(
    `SELECT day, count(*) AS total, approx_count_distinct(units) AS different, ${divided.join(", ")} FROM (${units}) GROUP BY day ORDER BY day`,
  );
  return rows.flatMap((row) => {
    if (
      toBigInt(row.total) < BigInt(LEAST_VALUES) ||
      toBigInt(row.different) < BigInt(LEAST_DISTINCT)
    )
      return [];
    const divisor = DIVISORS.findLast((each) => row[`by_${each}`] === true) ?? 1;
    return [
      {
        day: toDay(Number(toBigInt(row.day)) * DAY_MS),
        step: new Decimal(divisor).div(10 ** places).toFixed(),
      },
    ];
  });
}

/** SQL of a decimal as a whole number of its last place. */
function unitsSql(column: string, places: number): string {
  // At 18 digits the database would multiply within 64 bits.
  return `CAST(CAST(${column} AS DECIMAL(38,${places})) * ${10n ** BigInt(places)} AS BIGINT)`;
}
