import { Decimal } from "decimal.js";
import { DAY_MS } from "../../core/units.js";
import { type Day, NS_A_MS, nsToMs, toDay } from "../day.js";
import { HistoryError } from "../history-errors.js";
import { familyFor, type HistoryKind } from "../kinds.js";
import { type Decimals, parquetSql, withReadErrors } from "../staging/decimal-places.js";
import type { StagedRows } from "../staging/stage-rows.js";
import type { DayManifest } from "../store/day-manifest.js";
import { type Duck, toBigInt } from "../store/duck.js";

/**
 * The multiples tested for prices and amounts, in units of their last place. Ticks and steps of
 * exchanges are such multiples of each other.
 */
const DIVISORS = [2, 5, 10, 20, 25, 50, 100, 1000, 10_000] as const;
/**
 * The least number of values, and of distinct values, that shows a day's steps. Fewer may lie on a
 * coarser grid by chance.
 */
const LEAST_VALUES = 100;
const LEAST_DISTINCT = 20;

/** The columns that show the tick and the step, by family. */
const COLUMNS: Readonly<Record<string, Readonly<Record<"prices" | "amounts", string>>>> = {
  trades: { prices: "price", amounts: "amount" },
  book: { prices: "price", amounts: "amount" },
  klines: { prices: "close", amounts: "volume" },
};

/** The staged rows of an import. */
interface ImportedRows {
  readonly kind: HistoryKind;
  readonly rows: StagedRows;
}

/** The steps of one day, and their origin. */
interface DaySteps {
  readonly day: Day;
  readonly step: string;
  /** The index of the imported file; undefined if the store has the day. */
  readonly index: number | undefined;
}

/** The days of a store. */
interface StoredDays {
  /** The days of a kind, ascending. */
  readonly of: (kind: HistoryKind) => readonly DayManifest[];
  readonly pathOf: (manifest: DayManifest) => string;
}

/**
 * Finds days whose prices or amounts are multiples of other steps than those of a neighbouring day,
 * imported or stored. One tick for all such days is too fine for some of them, or does not fit
 * others.
 * @returns the findings, by the index in `files` of the file with the later day, or with the
 * earlier one if the store has the later.
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
          // A fault of a stored day must not cause the import to fail.
          if (!(error instanceof HistoryError)) throw error;
          find(
            index,
            `its ${what} could not be compared with those of ${manifest.day}: ${error.message}`,
          );
        }
      }
      for (const { index, text } of changesIn(days, what)) find(index, text);
    }
  }
  return findings;
}

/** The days whose steps differ from those of the previous day. @param days in any order */
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
    const text = `all ${what} of ${before.day} are multiples of ${before.step}, and those of ${day} of ${step}: the market's ${rule} may have changed, so no single value fits both days`;
    return [{ index: of, text }];
  });
}

/** The first and the last day of each file. */
function endsOf(files: readonly StagedRows[]): ReadonlySet<Day> {
  return new Set(
    files.flatMap(({ firstNs, lastNs }) =>
      firstNs === undefined || lastNs === undefined
        ? []
        : [toDay(nsToMs(firstNs)), toDay(nsToMs(lastNs))],
    ),
  );
}

/** The days of the store next to an imported day, each with the file of that day. */
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

/**
 * The coarsest steps of which all values of a day are multiples, for each day with enough values.
 */
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
  // At 18 digits the database would multiply within 64 bits and overflow.
  return `CAST(CAST(${column} AS DECIMAL(38,${places})) * ${10n ** BigInt(places)} AS BIGINT)`;
}
