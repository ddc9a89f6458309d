import { NS_A_MS } from "../../day.js";
import { type Column, type HistoryKind, layoutFor } from "../../kinds.js";
import { identifier, type Row } from "../../store/duck.js";
import { bidSql, flagSql, takerSql } from "../text/sides.js";
import { stampSql } from "../text/stamps.js";
import { wholeSql } from "../text/whole-numbers.js";
import { MESSAGE, PLACE } from "./book-messages.js";
import { kindForMapping, type Mapping } from "./mapping.js";
import { numberSql } from "./shape.js";

const NO_NUMBER = "CAST(NULL AS BIGINT)";

/** SQL of a kind's columns over the rows of a mapped file. */
export class MappedColumns {
  /** SQL of a row's exchange time, in nanoseconds. */
  readonly timeNs: string;
  /** SQL of the local stamp; null if the mapping has none. */
  readonly recvNs: string;
  /** SQL that is true for a row of a book's snapshot. */
  readonly isSnapshot: string;
  readonly #mapping: Mapping;
  readonly #kind: HistoryKind;
  readonly #isParquet: boolean;

  constructor(mapping: Mapping, isParquet: boolean) {
    this.#mapping = mapping;
    this.#kind = kindForMapping(mapping);
    this.#isParquet = isParquet;
    this.timeNs =
      this.#by("time", (column, text) => stampSql(column, text, mapping.timeUnit)) ?? NO_NUMBER;
    this.recvNs =
      this.#by("recvTime", (column, text) =>
        stampSql(column, text, mapping.recvTimeUnit ?? mapping.timeUnit),
      ) ?? NO_NUMBER;
    this.isSnapshot = this.#by("isSnapshot", flagSql) ?? "false";
  }

  /** True if trades have no ids, so that row numbers serve as ids. */
  get areNumbered(): boolean {
    return this.#kind === "trades" && this.#mapping.columns.id === undefined;
  }

  /**
   * All columns of the kind, in its order.
   * @param first the first row with its `timeNs`, if rows are numbered
   * @param timeNs SQL of a row's stamp.
   */
  all(first: Row | undefined, timeNs = this.timeNs): string {
    return layoutFor(this.#kind)
      .columns.map(
        (column) =>
          `${column.name === "timeNs" ? timeNs : this.#sqlOf(column, first)} AS ${identifier(column.name)}`,
      )
      .join(", ");
  }

  /** SQL of a column of whole numbers; nulls if the mapping names none. */
  wholeOf(name: string): string {
    return this.#by(name, (column, text) => wholeSql(text, column)) ?? NO_NUMBER;
  }

  #sqlOf({ name, type }: Column, first: Row | undefined): string {
    const { timeUnit } = this.#mapping;
    switch (name) {
      case "recvNs":
        return this.recvNs;
      case "nextFundingMs":
        return (
          this.#by(
            "nextFundingTime",
            (column, text) => `(${stampSql(column, text, timeUnit)}) // ${NS_A_MS}`,
          ) ?? this.wholeOf(name)
        );
      case "seq":
        return this.#kind === "book" ? MESSAGE : NO_NUMBER;
      case "level":
        return this.#kind === "book" ? PLACE : "0";
      case "isSnapshot":
        return this.isSnapshot;
      case "id":
        return this.#mapping.columns.id === undefined ? numberSql(first) : this.wholeOf(name);
      case "isBuyerMaker":
        return this.#by(name, flagSql) ?? this.#by("side", takerSql) ?? "CAST(NULL AS BOOLEAN)";
      case "isBid":
        return (this.#by(name, flagSql) ?? this.#by("side", bidSql)) as string;
      default:
        return type === "integer"
          ? this.wholeOf(name)
          : (this.#by(name, (_, text) => text) ?? "CAST(NULL AS VARCHAR)");
    }
  }

  /** Applies SQL to a column's text; undefined if the mapping names no such column. */
  #by(name: string, sqlOf: (column: string, text: string) => string): string | undefined {
    const column = this.#mapping.columns[name];
    if (column === undefined) return undefined;
    const text = `CAST(${identifier(column)} AS VARCHAR)`;
    return sqlOf(column, this.#isParquet ? withZeroSql(text) : text);
  }
}

/**
 * SQL of a decimal's text with a digit before its point. The database omits that digit if the
 * column's type leaves no room for it.
 */
function withZeroSql(text: string): string {
  return `CASE WHEN starts_with(${text}, '.') THEN '0' || ${text} WHEN starts_with(${text}, '-.') THEN '-0' || substr(${text}, 2) ELSE ${text} END`;
}
