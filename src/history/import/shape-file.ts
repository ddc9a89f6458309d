import { ConfigError } from "../../core/errors.js";
import { HistoryError } from "../history-errors.js";
import { withReadErrors } from "../staging/decimal-places.js";
import { type Duck, literal } from "../store/duck.js";
import { recognise, type ShapeOptions } from "./formats/recognise.js";
import type { ShapedFile } from "./formats/shape.js";
import type { PlainFile } from "./plain-file.js";
import type { ReadableFile } from "./readable-rows.js";
import { withLineEndCheck } from "./text/line-ends.js";
import { withUtf8Check } from "./text/utf8.js";

/** Determines how the database reads a file. */
export async function shapeFile<P extends PlainFile>(
  duck: Duck,
  file: ReadableFile<P>,
  options: ShapeOptions,
): Promise<ReadableFile<P> & { readonly shaped: ShapedFile }> {
  const { plain } = file;
  const shaped = await withTextChecks(plain, async () =>
    ofOneSymbol(duck, plain.file, await recognise(duck, plain, options), options.symbol),
  );
  return { ...file, shaped };
}

/**
 * Runs work that reads a text file.
 * @throws HistoryError naming its first byte that is not UTF-8, or its first line with another line
 * end than the others
 */
export function withTextChecks<T>(plain: PlainFile, work: () => Promise<T>): Promise<T> {
  return withUtf8Check(plain, () => withLineEndCheck(plain, work));
}

/**
 * The file's rows of one market.
 * @throws ConfigError if it holds several and none is named, lacks the named one, or has no market
 * names
 */
async function ofOneSymbol(
  duck: Duck,
  file: string,
  shaped: ShapedFile,
  symbol: string | undefined,
): Promise<ShapedFile> {
  if (shaped.symbol === undefined) {
    if (symbol === undefined) return shaped;
    throw new ConfigError(`${file} has no known column with the market of each row`, {
      field: "symbol",
      value: symbol,
      expected:
        "a column symbol, market, ticker, instrument, pair, coin or similar, or a file of one market without --symbol",
    });
  }
  const asked = shaped.symbol;
  const symbols = (await withReadErrors(file, () => duck.rows(asked)))
    .map((row) => String(row.symbol))
    .sort();
  if (symbol === undefined) {
    if (symbols.length < 2) return shaped;
    throw new ConfigError(`${file} has several markets`, {
      field: "symbol",
      value: symbols.join(", "),
      expected: "--symbol with one of them",
    });
  }
  if (symbols.length > 0 && !symbols.includes(symbol)) {
    throw new ConfigError(`${file} does not have this market`, {
      field: "symbol",
      value: symbol,
      expected: `one of ${symbols.join(", ")}`,
    });
  }
  if (symbols.length < 2) return shaped;
  if (shaped.ofSymbol === undefined)
    throw new HistoryError(file, "has several markets", {
      value: symbols.join(", "),
      expected: "a file of this shape with one market",
    });
  const { csv: _, ...asText } = shaped;
  const rows = shaped.ofSymbol(literal(symbol));
  const { numbered } = shaped;
  return {
    ...asText,
    select: `${shaped.select} ${rows}`,
    ...(numbered === undefined ? {} : { numbered: `${numbered} ${rows}` }),
    ofMarket: symbol,
  };
}
