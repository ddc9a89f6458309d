import { ConfigError } from "../core/errors.js";
import type { Ms } from "../core/units.js";

/**
 * The type of a column of the store. `price`, `amount` and `rate` are exact decimals with as many
 * places as the file needs.
 */
type ColumnType = "integer" | "flag" | "text" | "price" | "amount" | "rate";

/** The decimals of a file, by the quantity that they count. */
export type DecimalGroup = "price" | "amount" | "rate";

/** A column of one kind of history. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/**
 * Known facts about all values of a column. A bound is undefined if no row has a value, or if it is
 * unknown.
 */
export interface ColumnFacts {
  readonly nulls: number;
  readonly least: string | undefined;
  readonly most: string | undefined;
}

/** A rule about impossible rows, as SQL over the typed columns, and in words. */
export interface RowRule {
  readonly broken: string;
  readonly expected: string;
  /**
   * True if the known facts of the columns exclude such a row, so that the rows need not be
   * checked.
   */
  readonly isRuledOut?: (of: (column: string) => ColumnFacts | undefined) => boolean;
}

/** The layout of one kind of history. */
interface KindLayout {
  readonly columns: readonly Column[];
  /** The order of a day's rows; equal rows keep the order of their source. */
  readonly order: readonly string[];
  /**
   * The columns that identify a record; absent if only its source does, as for the messages of a
   * capture.
   */
  readonly key?: readonly string[];
  readonly rules: readonly RowRule[];
}

/** The families of kinds; candles have one kind per interval. */
type KindFamily =
  | "trades"
  | "book"
  | "bbo"
  | "reference"
  | "marks"
  | "klines"
  | "mark-klines"
  | "funding"
  | "orders"
  | "fills";

/** `trades`, `book`, `klines-1M`, ...: the name of a folder of the store. */
export type HistoryKind = string;

const columns = (text: string): Column[] =>
  text.split(" ").map((pair) => {
    const [name, type] = pair.split(":") as [string, ColumnType];
    return { name, type };
  });

/** Exchange clock, local clock, sequence number in the capture. */
const STAMPS = "timeNs:integer recvNs:integer seq:integer";
const above = (name: string): RowRule => ({
  broken: `${name} IS NULL OR ${name} <= 0`,
  expected: `${name} above zero`,
  isRuledOut: (of) => {
    const facts = of(name);
    return facts?.nulls === 0 && Number(facts.least) > 0;
  },
});
const notBelow = (name: string): RowRule => ({
  broken: `${name} < 0`,
  expected: `${name} at least zero`,
  isRuledOut: (of) => Number(of(name)?.least) >= 0,
});
/**
 * A missing value would be read as zero: a crash to nothing, a deleted level, a payment of nothing.
 */
const there = (name: string, expected = `${name} in each row`): RowRule => ({
  broken: `${name} IS NULL`,
  expected,
  isRuledOut: (of) => of(name)?.nulls === 0,
});
const candle: KindLayout = {
  columns: columns("timeNs:integer open:price high:price low:price close:price volume:amount"),
  order: ["timeNs"],
  key: ["timeNs"],
  rules: [
    {
      broken: "low > least(open, close) OR high < greatest(open, close)",
      expected: "open and close between low and high",
    },
    there("open"),
    there("high"),
    there("close"),
    above("low"),
    notBelow("volume"),
  ],
};

/**
 * Levels of a message count from 0. Those of a snapshot of the whole book count from here: it also
 * deletes the levels behind its last one.
 */
export const WHOLE_FROM_LEVEL = 1;

const LAYOUTS: Readonly<Record<KindFamily, KindLayout>> = {
  trades: {
    columns: columns(
      `id:integer ${STAMPS} price:price amount:amount isBuyerMaker:flag status:text`,
    ),
    // Several trades of one sequence number, as a taker that walks the book makes them, keep the
    // order of their source: not every exchange's ids ascend.
    order: ["timeNs", "seq"],
    key: ["id"],
    rules: [there("id", "an id, an integer below 2^63"), above("price"), above("amount")],
  },
  book: {
    columns: columns(
      `${STAMPS} isSnapshot:flag beginSequence:integer endSequence:integer level:integer isBid:flag price:price amount:amount`,
    ),
    order: ["timeNs", "seq", "level"],
    // A message without levels has no price.
    rules: [
      {
        broken: "price <= 0",
        expected: "price above zero",
        isRuledOut: (of) => Number(of("price")?.least) > 0,
      },
      notBelow("amount"),
      there("isSnapshot"),
      { broken: "price IS NULL AND amount IS NOT NULL", expected: "price and amount, or neither" },
      { broken: "amount IS NULL AND price IS NOT NULL", expected: "price and amount, or neither" },
      { broken: "isBid IS NULL AND price IS NOT NULL", expected: "the side of a price" },
    ],
  },
  bbo: {
    columns: columns(`${STAMPS} bid:price bidAmount:amount ask:price askAmount:amount`),
    order: ["timeNs", "seq"],
    rules: [notBelow("bidAmount"), notBelow("askAmount")],
  },
  // Prices of a source outside the exchange as a recorder received them. Its clock is the only one
  // that all sources share, so `timeNs` is when the price was received, and `sourceNs` the source's
  // own time. `down` is the reason why the source was gone, in a row without a price.
  reference: {
    columns: columns("timeNs:integer seq:integer sourceNs:integer bid:price ask:price down:text"),
    order: ["timeNs", "seq"],
    rules: [
      { broken: "bid <= 0 OR ask <= 0", expected: "prices above zero" },
      {
        broken: "down IS NOT NULL AND (bid IS NOT NULL OR ask IS NOT NULL)",
        expected: "prices, or the reason why there is none",
      },
    ],
  },
  marks: {
    columns: columns(`${STAMPS} mark:price index:price fundingRate:rate nextFundingMs:integer`),
    order: ["timeNs", "seq"],
    rules: [above("mark")],
  },
  klines: { ...candle, rules: [...candle.rules, there("volume")] },
  // A mark candle has no volume, and trades do not bound it.
  "mark-klines": candle,
  funding: {
    columns: columns("timeNs:integer rate:rate"),
    order: ["timeNs"],
    key: ["timeNs"],
    rules: [there("rate")],
  },
  // The recorder's view of its own account: requests to the exchange, its responses, and its
  // updates.
  orders: {
    columns: columns(
      `${STAMPS} what:text request:integer hash:text orderId:text isBuy:flag type:text timeInForce:text price:price amount:amount available:amount filled:amount canceled:amount expired:amount failed:amount status:text expirationMs:integer level:integer code:integer message:text`,
    ),
    order: ["timeNs", "seq"],
    rules: [notBelow("price"), notBelow("amount")],
  },
  // A trade is reported again when it settles or fails.
  fills: {
    columns: columns(
      `${STAMPS} tradeId:integer isBuy:flag isMaker:flag price:price amount:amount fee:rate status:text`,
    ),
    order: ["timeNs", "seq"],
    key: ["tradeId", "isBuy", "status"],
    rules: [above("price"), above("amount")],
  },
};

/** True if a column holds exact decimals. */
export function isDecimal(type: ColumnType): type is DecimalGroup {
  return type === "price" || type === "amount" || type === "rate";
}

const INTERVAL = /^([1-9]\d{0,3})(M|H|D|W|MO)$/;
const UNIT_MS: Readonly<Record<string, Ms>> = {
  M: 60_000,
  H: 3_600_000,
  D: 86_400_000,
  W: 604_800_000,
};

/** The layout of a kind. @throws ConfigError for an unknown kind. */
export function layoutFor(kind: HistoryKind): KindLayout {
  return LAYOUTS[familyFor(kind)];
}

/** The family of a kind. @throws ConfigError for an unknown kind. */
export function familyFor(kind: HistoryKind): KindFamily {
  const family = kind.replace(/klines-.*$/, "klines");
  const isKnown =
    Object.hasOwn(LAYOUTS, family) &&
    (family.endsWith("klines") ? INTERVAL.test(intervalFor(kind)) : family === kind);
  if (isKnown) return family as KindFamily;
  throw new ConfigError("is not a kind of history", {
    field: "kind",
    value: kind,
    expected:
      "trades, book, bbo, reference, marks, funding, orders, fills, klines-1M or mark-klines-1M (or another interval)",
  });
}

/** The interval of this kind's candles, in the exchange's spelling; empty for other kinds. */
export function intervalFor(kind: HistoryKind): string {
  return /klines-(.+)$/.exec(kind)?.[1] ?? "";
}

/**
 * The duration of a candle; undefined for a month, whose length varies, and for an unknown
 * interval.
 */
export function intervalToMs(interval: string): Ms | undefined {
  const match = INTERVAL.exec(interval);
  const unitMs = UNIT_MS[match?.[2] ?? ""];
  return match === null || unitMs === undefined ? undefined : Number(match[1]) * unitMs;
}

/**
 * The exchange's spelling of an interval in milliseconds, minutes as M; undefined if it has none.
 */
export function intervalName(ms: Ms): string | undefined {
  for (const unit of ["W", "D", "H", "M"]) {
    const unitMs = UNIT_MS[unit] as Ms;
    if (ms >= unitMs && ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  }
  return undefined;
}

/** True if rows of a kind have the column. */
export function hasColumn(kind: HistoryKind, column: string): boolean {
  return layoutFor(kind).columns.some(({ name }) => name === column);
}
