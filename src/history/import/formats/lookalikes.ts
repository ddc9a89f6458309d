import { HistoryError } from "../../history-errors.js";
import type { Shape } from "./shape-names.js";

/** Files that look like a known shape but contain something else. */
interface Lookalike {
  readonly shape: RegExp;
  /** Matches the file's path, with its place within an archive. */
  readonly path: RegExp;
  /** A column that only these files have, if there is one. */
  readonly column?: string;
  readonly is: string;
  readonly expected: string;
}

/**
 * Sources: github.com/binance/binance-public-data, "README"; docs.tardis.dev, "Downloadable CSV
 * files".
 */
const LOOKALIKES: readonly Lookalike[] = [
  {
    shape: /^binance-/,
    path: /[A-Z0-9]USD_(PERP|\d{6})-[^/]*$/,
    column: "base_qty",
    is: "is of a coin-margined contract: its quantities are contracts, not base units",
    expected:
      "a file of the spot market or of a linear contract; for its trades a mapping with amount=base_qty",
  },
  {
    shape: /^binance-klines$/,
    path: /(markPrice|indexPrice|premiumIndex)Klines/,
    is: "has candles of a mark price, index price or premium, not of trades",
    expected:
      "klines of trades; for mark prices --kind mark-klines --columns time=open_time,open=open,high=high,low=low,close=close",
  },
  {
    shape: /^tardis-trades$/,
    path: /liquidations[^/]*$/,
    is: "has liquidations, which the trades already contain",
    expected: "the trades of the same market",
  },
];

/**
 * @param names its columns
 * @throws HistoryError for a file that looks like a known shape but has another meaning
 */
export function refuseLookalike(shape: Shape, file: string, names: readonly string[]): void {
  const found = LOOKALIKES.find(
    ({ shape: of, path, column }) =>
      of.test(shape) && (path.test(file) || (column !== undefined && names.includes(column))),
  );
  if (found !== undefined)
    throw new HistoryError(file, found.is, { value: shape, expected: found.expected });
}
