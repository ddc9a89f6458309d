import { z } from "zod";
import { checkShape } from "../../../core/config/config-shape.js";
import { loadYamlFile } from "../../../core/config/config-yaml.js";
import { ConfigError } from "../../../core/errors.js";
import { type HistoryKind, intervalFor, layoutFor } from "../../kinds.js";
import { TIME_UNITS } from "../text/stamps.js";
import { requireKeptInterval } from "./candle-interval.js";

const mappingSchema = z.strictObject({
  /** A kind of history; `klines` alone takes its interval from the data. */
  kind: z.string(),
  /**
   * The file's column for each of ours, by name or by position, counted from 0; `side` may replace
   * isBuyerMaker (as the taker's side) and isBid.
   */
  columns: z.record(z.string(), z.union([z.string(), z.int().nonnegative().transform(String)])),
  timeUnit: z.enum(TIME_UNITS).default("ms"),
  recvTimeUnit: z.enum(TIME_UNITS).optional(),
  /**
   * The unit of amounts; if absent, the names of the exchange, the market, the file and its columns
   * decide.
   */
  amountUnit: z.enum(["base", "contracts"]).optional(),
  /**
   * The names of the files to read, with * for any text; all files that no other mapping names if
   * absent.
   */
  files: z.array(z.string().min(1)).min(1).readonly().optional(),
});

const several = z.strictObject({ mappings: z.array(z.unknown()).min(1) });

/** A mapping of a file's columns to ours. */
export type Mapping = z.output<typeof mappingSchema>;

/** Checks a mapping from a user. @throws ConfigError for a field that is wrong or missing */
export function checkMapping(value: unknown): Mapping {
  const mapping = checkShape(mappingSchema, value, { at: ["mapping"] });
  const kind = kindForMapping(mapping);
  if (intervalFor(kind) !== "") requireKeptInterval(intervalFor(kind), "mapping.kind");
  const known = namesOf(kind);
  for (const name of Object.keys(mapping.columns)) {
    if (!known.includes(name))
      throw new ConfigError(`is not a column of ${mapping.kind}`, {
        field: `mapping.columns.${name}`,
        value: name,
        expected: known.join(", "),
      });
  }
  for (const name of requiredOf(kind)) {
    const isGiven = name.split("|").some((one) => Object.hasOwn(mapping.columns, one));
    if (!isGiven)
      throw new ConfigError("is missing", {
        field: `mapping.columns.${name.split("|")[0]}`,
        expected: `the name of the file's column with ${name.replace("|", " or ")}`,
      });
  }
  if (
    mapping.amountUnit !== undefined &&
    layoutFor(kind).columns.every(({ type }) => type !== "amount")
  )
    throw new ConfigError("cannot be set: this kind has no amounts", {
      field: "mapping.amountUnit",
      value: mapping.amountUnit,
      expected: `no amountUnit for ${mapping.kind}`,
    });
  if (
    Object.hasOwn(mapping.columns, "nextFundingTime") &&
    Object.hasOwn(mapping.columns, "nextFundingMs")
  )
    throw new ConfigError("is given twice", {
      field: "mapping.columns.nextFundingMs",
      value: mapping.columns.nextFundingMs,
      expected: "either nextFundingTime, in timeUnit, or nextFundingMs, in milliseconds",
    });
  return mapping;
}

/** The kind of a mapping, while the interval of candles is unknown. */
export function kindForMapping({ kind }: Mapping): HistoryKind {
  return kind === "klines" || kind === "mark-klines" ? `${kind}-1M` : kind;
}

/**
 * Reads mappings from a YAML file: one, or a list under `mappings`.
 * @throws ConfigError if it holds none
 */
export function loadMappings(path: string): readonly Mapping[] {
  const { value } = loadYamlFile(path);
  const list = several.safeParse(value);
  return list.success ? list.data.mappings.map(checkMapping) : [checkMapping(value)];
}

function namesOf(kind: HistoryKind): string[] {
  const own = [
    ...layoutFor(kind).columns.map(({ name }) => name),
    ...(kind === "book" ? ["prevEndSequence"] : []),
  ];
  const stamps: Readonly<Record<string, readonly string[]>> = {
    timeNs: ["time"],
    recvNs: ["recvTime"],
    // The second name contains its unit.
    nextFundingMs: ["nextFundingTime", "nextFundingMs"],
    seq: [],
    level: [],
    // Only a recorder knows them.
    sourceNs: [],
    down: [],
  };
  const sides = own.includes("isBuyerMaker") || own.includes("isBid") ? ["side"] : [];
  return [...own.flatMap((name) => stamps[name] ?? [name]), ...sides];
}

function requiredOf(kind: HistoryKind): string[] {
  const required: Readonly<Record<string, readonly string[]>> = {
    trades: ["price", "amount"],
    book: ["price", "amount", "isBid|side"],
    bbo: ["bid", "bidAmount", "ask", "askAmount"],
    reference: ["bid", "ask"],
    marks: ["mark"],
    funding: ["rate"],
  };
  // A mark candle has no volume.
  const candle = ["open", "high", "low", "close", ...(kind.startsWith("mark-") ? [] : ["volume"])];
  return ["time", ...(required[kind] ?? candle)];
}
