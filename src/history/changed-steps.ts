import { Decimal } from "decimal.js";
import { DAY_MS } from "../core/units.js";
import { type Day, dayOf, msOfNs, NS_A_MS } from "./day.js";
import { type Duck, wholeOf } from "./duck.js";
import { familyOf, type HistoryKind } from "./kinds.js";
import type { StagedRows } from "./stage-rows.js";

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
export interface ImportedRows {
  readonly kind: HistoryKind;
  readonly rows: StagedRows;
}

/**
 * What an import says of days whose prices, or amounts, are multiples of other steps than those of the day before: one tick for all of them is too
 * fine for some, or refused by others.
 * @returns the findings, by the place in `files` of the file that holds the later day.
 */
export async function changedSteps(duck: Duck, files: readonly ImportedRows[]): Promise<ReadonlyMap<number, readonly string[]>> {
  const findings = new Map<number, string[]>();
  for (const kind of new Set(files.map((file) => file.kind))) {
    const columns = COLUMNS[familyOf(kind)];
    const ofKind = [...files.entries()].filter(([, file]) => file.kind === kind);
    if (columns === undefined || !areSeveralDays(ofKind.map(([, { rows }]) => rows))) continue;
    for (const what of ["prices", "amounts"] as const) {
      const days: { readonly day: Day; readonly step: string; readonly index: number }[] = [];
      for (const [index, { rows }] of ofKind) {
        const places = rows.decimals[what === "prices" ? "price" : "amount"];
        for (const { day, step } of await stepsOf(duck, rows, columns[what], places)) days.push({ day, step, index });
      }
      days.sort((one, other) => (one.day < other.day ? -1 : 1));
      for (const [at, { day, step, index }] of days.entries()) {
        const before = days[at - 1];
        if (before === undefined || before.day === day || before.step === step) continue;
        const text = `all ${what} of ${before.day} are multiples of ${before.step}, and those of ${day} of ${step}: the market's ${what === "prices" ? "tick" : "step"} may have changed, and one for both days is wrong on either`;
        findings.set(index, [...(findings.get(index) ?? []), text]);
      }
    }
  }
  return findings;
}

function areSeveralDays(files: readonly StagedRows[]): boolean {
  const days = files.flatMap(({ firstNs, lastNs }) =>
    firstNs === undefined || lastNs === undefined ? [] : [dayOf(msOfNs(firstNs)), dayOf(msOfNs(lastNs))],
  );
  return new Set(days).size > 1;
}

/** The coarsest of some steps that all values of a day are multiples of, for each day of which enough is there. */
async function stepsOf(
  duck: Duck,
  { select }: StagedRows,
  column: string,
  places: number,
): Promise<readonly { readonly day: Day; readonly step: string }[]> {
  const divided = DIVISORS.map((divisor) => `bool_and(units % ${divisor} = 0) AS by_${divisor}`);
  const units = `SELECT timeNs // ${BigInt(DAY_MS) * NS_A_MS} AS day, ${unitsSql(column, places)} AS units FROM (${select}) WHERE ${column} > 0`;
  const rows = await duck.rows(
    `SELECT day, count(*) AS total, approx_count_distinct(units) AS different, ${divided.join(", ")} FROM (${units}) GROUP BY day ORDER BY day`,
  );
  return rows.flatMap((row) => {
    if (wholeOf(row.total) < BigInt(LEAST_VALUES) || wholeOf(row.different) < BigInt(LEAST_DISTINCT)) return [];
    const divisor = DIVISORS.findLast((each) => row[`by_${each}`] === true) ?? 1;
    return [{ day: dayOf(Number(wholeOf(row.day)) * DAY_MS), step: new Decimal(divisor).div(10 ** places).toFixed() }];
  });
}

/** SQL of a decimal as a whole number of its last place. */
function unitsSql(column: string, places: number): string {
  // At 18 digits the database would multiply within 64 bits.
  return `CAST(CAST(${column} AS DECIMAL(38,${places})) * ${10n ** BigInt(places)} AS BIGINT)`;
}
