import { DAY_MS } from "../../core/units.js";
import { NS_A_MS, nsToMs, toDay } from "../day.js";
import { type Duck, toBigInt } from "../store/duck.js";

/** Ids that a source gives to records of different days. */
export interface ReusedKeys {
  readonly ids: number;
  /** The least of them, with the first and the last day that has it. */
  readonly example: string;
}

/** Records that occur more than once. */
export interface Repeats {
  /** The number of rows with the same key as another row of the same day. */
  readonly repeated: number;
  /** The keys that records of different days share, if any. */
  readonly reused: ReusedKeys | undefined;
}

/** Counts repeats. The same key on another day is another record. */
export async function countRepeats(
  duck: Duck,
  from: string,
  key: readonly string[],
): Promise<Repeats> {
  const by = key.join(", ");
  const day = `timeNs // ${BigInt(DAY_MS) * NS_A_MS}`;
  const [keysOfDays, keys] = [`count(DISTINCT (${by}, ${day}))`, `count(DISTINCT (${by}))`];
  const counted = await duck.row(
    `SELECT count(*) - ${keysOfDays} AS repeated, ${keysOfDays} - ${keys} AS reused FROM ${from}`,
  );
  const repeated = Number(counted.repeated);
  if (toBigInt(counted.reused) === 0n) return { repeated, reused: undefined };
  const alike = `SELECT ${key[0]} AS id, min(timeNs) AS firstNs, max(timeNs) AS lastNs FROM ${from} GROUP BY ${by} HAVING count(DISTINCT ${day}) > 1`;
  const { ids, id, firstNs, lastNs } = await duck.row(
    `SELECT count(*) AS ids, min(id) AS id, arg_min(firstNs, id) AS firstNs, arg_min(lastNs, id) AS lastNs FROM (${alike})`,
  );
  const dayText = (ns: unknown): string => toDay(nsToMs(toBigInt(ns)));
  return {
    repeated,
    reused: {
      ids: Number(ids),
      example: `${key[0]} ${String(id)} on ${dayText(firstNs)} and ${dayText(lastNs)}`,
    },
  };
}

/** Measures whether rows ascend, and whether their keys do, which excludes repeats. */
export async function measureAscent(
  duck: Duck,
  from: string,
  order: readonly string[],
  [key]: readonly string[] = [],
): Promise<{ readonly ascends: boolean; readonly isStrict: boolean }> {
  const names = [...new Set([...order, ...(key === undefined ? [] : [key])])];
  const before = names.map((name) => `lag(${name}) OVER () AS before_${name}`);
  const falls = order.reduceRight(
    (rest, name) =>
      `(${name} < before_${name}${rest === "" ? "" : ` OR (${name} = before_${name} AND ${rest})`})`,
    "",
  );
  const again = key === undefined ? "true" : `${key} <= before_${key}`;
  const rows = `SELECT ${[...names, ...before].join(", ")} FROM ${from}`;
  const { odd } = await duck.row(
    `SELECT count(*) AS odd FROM (${rows}) WHERE ${key === undefined ? falls : `${falls} OR ${again}`}`,
  );
  if (toBigInt(odd) === 0n) return { ascends: true, isStrict: key !== undefined };
  const found = await duck.row(
    `SELECT coalesce(bool_or(${falls}), false) AS falls, coalesce(bool_or(${again}), false) AS again FROM (${rows})`,
  );
  return { ascends: found.falls === false, isStrict: key !== undefined && found.again === false };
}
