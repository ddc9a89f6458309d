import { HistoryError } from "../../history-errors.js";

/** A message of an exchange's stream or response with lists or records inside its record. */
interface VenueMessage {
  readonly is: string;
  readonly isIt: (text: string) => boolean;
}

const has =
  (...parts: readonly string[]) =>
  (text: string): boolean =>
    parts.every((part) => text.includes(part));

/**
 * Recognised by text, in JSON without spaces, that only these messages have. Sources: the API pages
 * of each exchange.
 */
const MESSAGES: readonly VenueMessage[] = [
  { is: "Hyperliquid's order book (l2Book)", isIt: has('"levels":[[', '"coin"') },
  { is: "Hyperliquid's stream", isIt: has('"channel":"', '"coin"') },
  { is: "Binance's order book (depthUpdate)", isIt: has('"e":"depthUpdate"') },
  { is: "Binance's order book (a snapshot)", isIt: has('"lastUpdateId"', '"bids":[') },
  { is: "Binance's candles (kline)", isIt: has('"e":"kline"', '"k":{') },
  { is: "Binance's combined stream", isIt: has('"stream":"', '"data":{') },
  { is: "Bybit's order book", isIt: has('"topic":"orderbook.', '"data":{') },
  { is: "Bybit's stream", isIt: has('"topic":"', '"data":') },
  { is: "OKX's stream", isIt: has('"arg":{', '"channel":') },
  { is: "Coinbase's order book (l2update)", isIt: has('"type":"l2update"', '"changes":[') },
  { is: "Deribit's stream", isIt: has('"params":{', '"channel":"') },
  { is: "BitMEX's stream", isIt: has('"table":"', '"data":[') },
  { is: "Kraken's stream", isIt: has('"channel":"', '"data":[') },
];
const SHOWN = 80;
const BOOK = '{"type":"update","timestamp":1723161600000,"bids":[["61800.3","0.5"]],"asks":[]}';
const FLAT = "one flat JSON record on each line, for example made by jq";

/**
 * Refuses a record whose values are records or lists instead of fields, since a mapping cannot name
 * them.
 * @param wanted the fields that a mapping names: a record with one of them is read.
 * @throws HistoryError naming the exchange's message if known, and the form that an import reads
 */
export function refuseNested(
  record: object,
  file: string,
  wanted: readonly string[] | undefined,
): void {
  const nested = Object.entries(record).flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? [name] : [],
  );
  if (
    nested.length === 0 ||
    wanted?.some((name) => Object.hasOwn(record, name) && !nested.includes(name)) === true
  )
    return;
  const text = JSON.stringify(record);
  const message = MESSAGES.find(({ isIt }) => isIt(text));
  const what =
    message === undefined
      ? "has nested records or lists"
      : `is ${message.is}, with nested records or lists`;
  throw new HistoryError(file, `${what}, which no shape and no mapping can read`, {
    value: nested.join(", "),
    expected: `for a book one record for each message in the shape book, ${BOOK}; otherwise ${FLAT}`,
  });
}

/** The error for a file that begins with a JSON list. @param line its first line */
export function jsonList(line: string, file: string): HistoryError {
  const isWithin = /^\[\s*(\[|$)/.test(line);
  const isWhole = !isWithin && /^\[\s*[^{\s]/.test(line);
  const value = line.slice(0, SHOWN);
  if (isWhole)
    return new HistoryError(file, "has a JSON list on each line", {
      value,
      expected:
        "CSV, with a mapping that gives columns by position: jq -r '@csv', then --kind and --columns time=0,...",
    });
  if (isWithin && line.trim() !== "[")
    return new HistoryError(
      file,
      "is one JSON list of lists, as ccxt and exchanges return candles",
      {
        value,
        expected:
          "CSV, with a mapping that gives columns by position: jq -r '.[] | @csv', then --kind klines --columns time=0,open=1,high=2,low=3,close=4,volume=5",
      },
    );
  return new HistoryError(file, "is one JSON list", {
    value,
    expected: "one JSON record on each line, without brackets and commas around them: jq -c '.[]'",
  });
}
