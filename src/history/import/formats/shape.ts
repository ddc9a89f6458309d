import type { HistoryKind } from "../../kinds.js";
import type { Span } from "../../spans.js";
import type { ChainStretch } from "../../store/day-manifest.js";
import { type Row, toBigInt } from "../../store/duck.js";
import type { JsonFields } from "../text/json-numbers.js";
import type { TextSql } from "../text/odd-values.js";
import type { CsvFile, CsvTable } from "../text/plain-csv.js";
import type { Shape } from "./shape-names.js";

/**
 * The properties and the finding of a file whose rows have no ids.
 * @param why it has none, in words
 */
export function numbered(why: string): Pick<ShapedFile, "isNumbered" | "findings"> {
  return { isNumbered: true, findings: [`${why}: the number of the row stands for each`] };
}

/**
 * SQL of a generated id. It counts up from a thousand times the first row's millisecond, so that
 * another file of the same day has other ids, and stays below 2^53 until 2255.
 * @param first the first row's `timeNs`; undefined if there is none
 */
export function numberSql(first: Row | undefined): string {
  return `row_number() OVER () + ${(toBigInt(first?.timeNs) / 1_000_000n) * 1000n}`;
}

/** The format of a plain file. */
export type FileFormat =
  | { readonly format: "ndjson" }
  | ({ readonly format: "csv" } & CsvTable)
  | { readonly format: "parquet" };

/** A CSV file whose numbers are read directly, without text, if they are plain. */
export interface TypedCsv extends CsvFile {
  /** The file's columns that hold decimals, each with the kind's column. */
  readonly decimals: Readonly<Record<string, string>>;
  /** The file's columns that hold whole numbers. */
  readonly whole: readonly string[];
  /**
   * SQL of the kind's columns and whole numbers, with the given columns of the file read as other
   * types than text.
   */
  readonly select: (types: Readonly<Record<string, string>>) => string;
}

/** A file with the SQL that reads it. */
export interface ShapedFile {
  readonly kind: HistoryKind;
  /** Undefined if a mapping reads it. */
  readonly shape?: Shape | undefined;
  /** The market whose rows are read, of a file that holds several. */
  readonly ofMarket?: string;
  /** SQL of the kind's columns, decimals as text. */
  readonly select: string;
  /**
   * The same SQL with {@link ROW_NUMBER}; absent if `select` gives the file's rows one for one in
   * order.
   */
  readonly numbered?: string;
  /** The same for a CSV file; absent if its decimals are always read as text. */
  readonly csv?: TypedCsv;
  /** The fields read from a file of JSON records; absent for another file. */
  readonly json?: JsonFields;
  /** True if `seq` is the number of a message's first row, not a line of a capture. */
  readonly isByMessage?: boolean;
  /** Its records have no ids; row numbers replace them. */
  readonly isNumbered?: true;
  /** Its amounts count contracts, not base units. */
  readonly isInContracts?: true;
  /** For a book: the time in which it is unknown. */
  readonly lost?: readonly Span[];
  /**
   * Set for a book with one message per row: `chained` if a gap between the rows shows every
   * missing message.
   */
  readonly messageRows?: "chained" | "unchained";
  /**
   * For a book: the ends of its chain of sequences, day by day; absent if its rows do not show
   * them.
   */
  readonly chain?: readonly ChainStretch[];
  /** SQL of the market names in the file; absent if it has none. */
  readonly symbol?: string;
  /**
   * SQL, after `select` and `numbered`, that keeps the rows of one of those markets, given as an
   * SQL literal; absent if a file of this shape has only one.
   */
  readonly ofSymbol?: (symbol: string) => string;
  /** The file as written, to quote from in errors. */
  readonly text?: TextSql;
  /** The import's findings about the data. */
  readonly findings: readonly string[];
}
