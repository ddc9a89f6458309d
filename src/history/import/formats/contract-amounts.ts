import { type Duck, identifier } from "../../store/duck.js";
import { marketColumn } from "../text/market-column.js";
import type { TextSql } from "../text/odd-values.js";

/** Markets of an exchange whose amounts count contracts, or units of the quote currency. */
interface ContractMarkets {
  /** The exchange's name as Tardis and others spell it. */
  readonly exchange: RegExp;
  /** The symbols concerned; all if absent. */
  readonly symbol?: RegExp;
}

/**
 * A dated or perpetual coin-margined future in Deribit's spelling. Deribit's linear ones
 * (`BTC_USDC-PERPETUAL`) and its options count base units.
 */
const DERIBIT_INVERSE = /^[A-Z]+-(PERPETUAL|\d{1,2}[A-Z]{3}\d{2}|FS-.+)$/;
const FUTURE_MONTH = "[FGHJKMNQUVXZ]\\d{2}";
/** Binance's coin-margined contracts: `BTCUSD_PERP`, `ETHUSD_250328`. */
const BINANCE_COIN_MARGINED = /^[A-Z0-9]+USD_(PERP|\d{6})$/;
/** OKX's swaps, futures and options: `BTC-USDT-SWAP`, `BTC-USD-250328`. */
const OKX_CONTRACT = /^[A-Z0-9]+-(USD|USDT|USDC|USD_UM)-(SWAP|\d{6}(-\d+-[CP])?)$/;

/**
 * Sources: docs.tardis.dev, "Downloadable CSV files" (amounts are unchanged from the exchange), and
 * each exchange's contract specifications.
 */
const BY_EXCHANGE: readonly ContractMarkets[] = [
  { exchange: /^(binance-delivery|bitmex|huobi-dm(-swap|-linear-swap|-options)?|htx-dm.*)$/ },
  { exchange: /^(okex|okx)-(swap|futures|options|spreads)$/ },
  {
    exchange:
      /^(gate-io-futures|kucoin-futures|mexc-futures|delta|bitnomial|coinbase-derivatives)$/,
  },
  { exchange: /^deribit$/, symbol: DERIBIT_INVERSE },
  { exchange: /^bybit$/, symbol: new RegExp(`USD(${FUTURE_MONTH})?$`) },
  { exchange: /^cryptofacilities$/, symbol: /^(PI|FI|PV)_/i },
  // Spot symbols begin with a small s; markets settled in USDT since 2023 count base units.
  { exchange: /^phemex$/, symbol: /^(?!s[A-Z]).*USD$/ },
];

/** Symbols that only such markets have, whatever program wrote the file. */
const BY_SYMBOL: readonly RegExp[] = [
  BINANCE_COIN_MARGINED,
  OKX_CONTRACT,
  /^[A-Z]+-PERPETUAL$/,
  /^(PI|FI)_[A-Z0-9]+/,
  new RegExp(`^XBT(USDT?|${FUTURE_MONTH})$`),
];

/**
 * Columns, in small letters, with the amount in base units beside a column of contracts: Binance's,
 * and those of BitMEX and Bybit.
 */
const BASE_AMOUNTS: ReadonlySet<string> = new Set(["base_qty", "homenotional", "home_notional"]);
/** Names of columns of base units. */
const SAYS_BASE = /base|home_?notional|coin|ccy/i;
/** Two columns of one amount differ only in their last digits, by less than this share. */
const SAME_SHARE = 0.01;
/** The rows compared; enough to see a difference. */
const LOOKED_AT_ROWS = 10_000;

/** Names, in small letters, of columns with the exchange of a row. */
const EXCHANGE_NAMES: ReadonlySet<string> = new Set(["exchange", "venue"]);

/** The advice of an import for amounts that count contracts. */
export const CONVERT_CONTRACTS =
  "amounts in base units: contracts times the contract size, for inverse contracts divided by the price; import them with a mapping that has amountUnit: base (--amount-unit base)";

/** The column with the exchange of each row; undefined if no column has such a name. */
function exchangeColumn(names: readonly string[]): string | undefined {
  return names.find((name) => EXCHANGE_NAMES.has(name.toLowerCase()));
}

/**
 * The name of a market whose amounts count contracts instead of base units; undefined for another.
 * @param exchange from the file; without it, the symbol alone decides.
 */
function contractMarket(
  exchange: string | undefined,
  symbol: string | undefined,
): string | undefined {
  const isContract =
    exchange === undefined
      ? symbol !== undefined && BY_SYMBOL.some((pattern) => pattern.test(symbol))
      : BY_EXCHANGE.some(
          ({ exchange: of, symbol: which }) =>
            of.test(exchange.toLowerCase()) && (which === undefined || which.test(symbol ?? "")),
        );
  return isContract ? [exchange, symbol].filter((name) => name !== undefined).join(" ") : undefined;
}

/** A file whose amounts may count contracts. */
interface InspectedFile {
  /** The file's path, which contains its name. */
  readonly file: string;
  /** The file's columns. */
  readonly names: readonly string[];
  /** The file as written. */
  readonly text: TextSql;
  /** The requested market; the market of the first row if absent. */
  readonly symbol: string | undefined;
  /** The columns that are read as amounts. */
  readonly amounts: readonly string[];
}

/**
 * The reason, from a file's columns or name, why its amounts count contracts instead of base units;
 * undefined if there is none. A column of base units, such as `base_qty`, does not count contracts
 * itself, but comparing it shows the unit of the others.
 */
export async function findContractAmounts(
  duck: Duck,
  { file, names, text, symbol, amounts }: InspectedFile,
): Promise<string | undefined> {
  const open = amounts.filter((name) => !SAYS_BASE.test(name));
  if (open.length === 0) return undefined;
  const base = names.find((name) => BASE_AMOUNTS.has(name.toLowerCase()));
  if (base !== undefined) {
    for (const name of open) {
      if (await differ(duck, text, name, base))
        return `${name} differs from ${base}, which is in base units`;
    }
    return undefined;
  }
  const first = async (name: string | undefined): Promise<string | undefined> => {
    if (name === undefined) return undefined;
    const [row] = await duck.rows(
      `SELECT CAST(${identifier(name)} AS VARCHAR) AS value FROM ${text(name)} LIMIT 1`,
    );
    return typeof row?.value === "string" ? row.value : undefined;
  };
  const [exchange, market] = [exchangeColumn(names), marketColumn(names)];
  const contract = contractMarket(await first(exchange), symbol ?? (await first(market)));
  const found = contract ?? (market === undefined ? contractNameIn(file) : undefined);
  return found === undefined ? undefined : `amounts of ${found} count contracts`;
}

/** True if two columns of a file's first rows hold different amounts. */
async function differ(duck: Duck, text: TextSql, one: string, other: string): Promise<boolean> {
  const numbers = (name: string, as: string): string =>
    `(SELECT TRY_CAST(CAST(${identifier(name)} AS VARCHAR) AS DOUBLE) AS ${as} FROM ${text(name)} LIMIT ${LOOKED_AT_ROWS})`;
  const rows = await duck.rows(
    `SELECT 1 AS differs FROM ${numbers(one, "a")} POSITIONAL JOIN ${numbers(other, "b")} WHERE abs(a - b) > ${SAME_SHARE} * abs(b) LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * The name of such a market within a file name, as Binance and OKX name their files:
 * `BTC-USDT-SWAP-trades-2025-01-01.csv`.
 */
function contractNameIn(file: string): string | undefined {
  return /(?:^|[/_-])([A-Z0-9]+USD_(?:PERP|\d{6})|[A-Z0-9]+-(?:USD|USDT|USDC)-SWAP)(?![A-Za-z0-9])[^/]*$/.exec(
    file,
  )?.[1];
}

/** Columns of a trade or a candle with one amount in two units. */
export interface QuotedAmounts {
  readonly amount: string;
  /** The same amount in the quote currency. */
  readonly quote: string;
  /** The lowest and the highest price at which it was traded. */
  readonly low: string;
  readonly high: string;
}

/** Dollars per coin-margined contract of Binance: 100 of bitcoin, 10 of any other coin. */
const CONTRACT_QUOTES = [10, 100] as const;
/** The largest share by which rounding changes a small trade. */
const ROUNDED_SHARE = 0.05;

/**
 * True if each "quote" amount of a file is the value in coins of that many contracts at the price,
 * instead of the value of that many coins.
 */
export async function isCoinMargined(
  duck: Duck,
  table: string,
  { amount, quote, low, high }: QuotedAmounts,
): Promise<boolean> {
  const number = (name: string): string =>
    `TRY_CAST(CAST(${identifier(name)} AS VARCHAR) AS DOUBLE)`;
  const isOf = (size: number): string =>
    `bool_and(quote * low <= amount * ${size * (1 + ROUNDED_SHARE)} AND quote * high >= amount * ${size * (1 - ROUNDED_SHARE)})`;
  const rows = `SELECT ${number(amount)} AS amount, ${number(quote)} AS quote, ${number(low)} AS low, ${number(high)} AS high FROM ${table} LIMIT ${LOOKED_AT_ROWS}`;
  // At a price of ten or a hundred dollars, a coin fits both.
  const isWorth = `bool_and(quote <= amount * high * ${1 + ROUNDED_SHARE} AND quote >= amount * low * ${1 - ROUNDED_SHARE})`;
  const found = await duck.row(
    `SELECT ${isWorth} AS isWorth, ${CONTRACT_QUOTES.map((size) => `(${isOf(size)})`).join(" OR ")} AS isOf FROM (${rows}) WHERE amount > 0`,
  );
  return found.isOf === true && found.isWorth !== true;
}
