import { findNearestName } from "../../core/config/find-nearest-name.js";
import type { MarketId } from "../../core/units.js";
import type { Bot } from "../engine/bot.js";
import { buildBotStatus } from "../status/bot-status.js";
import { buildMarketStatus } from "../status/market-status.js";
import {
  STATUS_SHAPE,
  type StatusMapping,
  type ValueKind,
  type ValueShape,
} from "./status-shape.js";

/** A single value of a status; amounts are numbers. */
export type StatusValue = number | string | boolean;

/** The kinds of values that a condition compares. */
export type ComparedKind = "number" | "text" | "boolean";

/** A status, or the part of one that a condition reads. */
export type StatusDocument = Readonly<Record<string, unknown>>;

/** A value of the status that a condition names, or all values of one key of a list. */
export interface StatusField {
  /** The name as the condition has it, such as `position.btcusdc`. */
  readonly name: string;
  /** Keys from the status down, such as `markets`, `btcusdc`, `positionBase`; no list indices. */
  readonly path: readonly string[];
  readonly kind: ComparedKind;
}

/** The reason why a name is no field, and the name that was probably meant. */
export interface UnknownField {
  readonly problem: string;
  readonly nearest: string | undefined;
}

const UNRECORDED: UnknownField = {
  problem: "is not in a journal, which has nothing of other processes and files",
  nearest: undefined,
};

/** Suffixes of units that a condition may leave out. */
const UNITS = ["", "Quote", "Base"];

/**
 * Finds the field of a name: the keys of the status joined by dots. `position.btcusdc` is short for
 * `markets.btcusdc.positionBase`: the market may follow the key, and `Quote` or `Base` at a key's
 * end may be left out.
 * @param markets of the journal
 */
export function findStatusField(
  name: string,
  markets: readonly MarketId[],
): StatusField | UnknownField {
  const keys = name.split(".");
  const direct = follow(name, STATUS_SHAPE, keys, markets);
  if (!("problem" in direct)) return direct;
  const [key = "", marketId = "", ...below] = keys;
  if (!markets.includes(marketId)) {
    const isOfMarkets = !("problem" in follow(name, STATUS_SHAPE.markets["*"], keys, markets));
    const [first = "MARKET"] = markets;
    return isOfMarkets ? { ...direct, nearest: [key, first, ...keys.slice(1)].join(".") } : direct;
  }
  const short = follow(name, STATUS_SHAPE, ["markets", marketId, key, ...below], markets);
  if (!("problem" in short) || short.nearest === undefined) return short;
  const [, , nearestKey = "", ...nearestBelow] = short.nearest.split(".");
  return { ...short, nearest: [nearestKey, marketId, ...nearestBelow].join(".") };
}

function follow(
  name: string,
  status: StatusMapping,
  keys: readonly string[],
  markets: readonly MarketId[],
): StatusField | UnknownField {
  const path: string[] = [];
  let shape: ValueShape = status;
  for (const [at, key] of keys.entries()) {
    const mapping = withoutList(shape);
    if (mapping === "unrecorded") return UNRECORDED;
    if (typeof mapping === "string")
      return { problem: "has no values below it", nearest: path.join(".") };
    const known = path.join(".") === "markets" ? markets : Object.keys(mapping);
    const found = findKey(known, key) ?? (isOpen(mapping, known) ? key : undefined);
    if (found === undefined) {
      const nearest = findNearestName(key, [...known, ...known.map(withoutUnit)]);
      return {
        problem: "does not exist",
        nearest:
          nearest === undefined ? undefined : [...path, nearest, ...keys.slice(at + 1)].join("."),
      };
    }
    path.push(found);
    shape = (Object.hasOwn(mapping, found) ? mapping[found] : mapping["*"]) as ValueShape;
  }
  const kind = withoutList(shape);
  if (typeof kind !== "string")
    return {
      problem: "holds several values",
      nearest: `${path.join(".")}.${Object.keys(kind)[0] === "*" ? "KEY" : Object.keys(kind)[0]}`,
    };
  if (kind === "unrecorded") return UNRECORDED;
  return { name, path, kind: comparedKind(kind) };
}

/** True if any key may follow: those of markets are known. */
function isOpen(mapping: StatusMapping, known: readonly string[]): boolean {
  return "*" in mapping && known.includes("*");
}

function isListShape(shape: ValueShape): shape is readonly [ValueShape] {
  return Array.isArray(shape);
}

function withoutList(shape: ValueShape): ValueKind | StatusMapping {
  return isListShape(shape) ? withoutList(shape[0]) : shape;
}

function findKey(known: readonly string[], key: string): string | undefined {
  return UNITS.map((unit) => `${key}${unit}`).find((name) => name !== "*" && known.includes(name));
}

function withoutUnit(key: string): string {
  return key.replace(/(Quote|Base)$/, "");
}

function comparedKind(kind: Exclude<ValueKind, "unrecorded">): ComparedKind {
  return kind === "amount" ? "number" : kind;
}

/** Reads the values of a field; none while it is missing or null. */
export function readField(
  document: StatusDocument,
  { path, kind }: Pick<StatusField, "path" | "kind">,
): readonly StatusValue[] {
  let found: readonly unknown[] = [document];
  for (const key of path)
    found = found.flatMap((value) =>
      isMapping(value) && Object.hasOwn(value, key) ? value[key] : [],
    );
  const values: StatusValue[] = [];
  for (const value of found) {
    if (value === undefined || value === null) continue;
    values.push(
      kind === "number" ? Number(value) : kind === "text" ? String(value) : value === true,
    );
  }
  return values;
}

function isMapping(value: unknown): value is StatusDocument {
  return typeof value === "object" && value !== null;
}

/**
 * Makes a reader of the part of a bot's status that these fields need: the whole status costs
 * several times as much as one market.
 */
export function statusReader(fields: readonly StatusField[]): (bot: Bot) => StatusDocument {
  const markets = fields.map(({ path }) => (path[0] === "markets" ? path[1] : undefined));
  if (markets.includes(undefined)) return (bot) => ({ ...buildBotStatus(bot) });
  const needed = [...new Set(markets)] as MarketId[];
  return (bot) => ({
    markets: Object.fromEntries(
      needed.map((marketId) => [marketId, buildMarketStatus(bot, marketId)]),
    ),
  });
}
