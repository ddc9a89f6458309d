import type { HistoryKind } from "../../kinds.js";
import type { Span } from "../../spans.js";
import type { ChainStretch } from "../../store/day-manifest.js";
import { type Row, toBigInt } from "../../store/duck.js";
import type { JsonFields } from "../text/json-numbers.js";
import type { TextSql } from "../text/odd-values.js";
import type { CsvFile, CsvTable } from "../text/plain-csv.js";
import type { Shape } from "./shape-names.js";

/** What a file whose rows have no ids is, and what an import says of it. @param why it has none, in words */
export function numbered(why: string): Pick<ShapedFile, "isNumbered" | "findings"> {
  return { isNumbered: true, findings: [`${why}: the number of the row stands for each`] };
}

/**
 * SQL of such a number. It counts on from a thousand times the first row's millisecond, so that another file of the same day has others, and stays
 * below 2^53 until 2255.
 * @param first the first row's `timeNs`; undefined where there is none
 */
export function numberSql(first: Row | undefined): string {
  return `row_number() OVER () + ${(toBigInt(first?.timeNs) / 1_000_000n) * 1000n}`;
}

/** How a plain file is written. */
export type FileFormat =
  | { readonly format: "ndjson" }
  | ({ readonly format: "csv" } & CsvTable)
  | { readonly format: "parquet" };

/** A CSV file whose numbers need not be read as text where they are plain. */
export interface TypedCsv extends CsvFile {
  /** The file's columns that hold decimals, each with the kind's column that it is. */
  readonly decimals: Readonly<Record<string, string>>;
  /** The file's columns that hold whole numbers. */
  readonly whole: readonly string[];
  /** SQL that gives the kind's columns, with its whole numbers, and these columns of the file, read as other types than text. */
  readonly select: (types: Readonly<Record<string, string>>) => string;
}

/** A file as the database is to read it. */
export interface ShapedFile {
  readonly kind: HistoryKind;
  /** Undefined where a mapping reads it. */
  readonly shape?: Shape | undefined;
  /** The one market whose rows are read, of a file that holds several. */
  readonly ofMarket?: string;
  /** SQL that gives the kind's columns, decimals as text. */
  readonly select: string;
  /** SQL that gives the same with {@link ROW_NUMBER}; absent where the rows that `select` gives are the file's, one for one in its order. */
  readonly numbered?: string;
  /** The same of a CSV file; absent where its decimals are always read as text. */
  readonly csv?: TypedCsv;
  /** The fields that are read of a file of JSON records; absent for another. */
  readonly json?: JsonFields;
  /** `seq` is the number of a message's first row, and no line of a capture. */
  readonly isByMessage?: boolean;
  /** Its records have no ids, and the number of its row stands for each. */
  readonly isNumbered?: true;
  /** Its amounts count contracts, not base units. */
  readonly isInContracts?: true;
  /** Of a book: the time in which it is not known. */
  readonly lost?: readonly Span[];
  /** Of a book: how each row of the file is a message, where it is: `chained` where those that are there tell of each that is missing. */
  readonly messageRows?: "chained" | "unchained";
  /** Of a book: the ends of its chain of sequences, day by day; absent where its rows do not tell them. */
  readonly chain?: readonly ChainStretch[];
  /** SQL of the names of the markets that the file itself tells; absent where it tells none. */
  readonly symbol?: string;
  /** SQL, after `select` and `numbered`, that keeps the rows of one of those markets, which is an SQL literal; absent where a file of this shape has but one. */
  readonly ofSymbol?: (symbol: string) => string;
  /** The file as it is written, to show what is wrong with it. */
  readonly text?: TextSql;
  /** What the import says of the data. */
  readonly findings: readonly string[];
}
