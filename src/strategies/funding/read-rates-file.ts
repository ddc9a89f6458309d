import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { describeThrown } from "../../core/describe-thrown.js";
import { ConfigError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { PaidRate } from "../models/funding-rate-model.js";

/** Largest rate without sign. Exchanges cap theirs below it; more is percent or basis points. */
const MOST_RATE = 0.1;
/** Letters by which markets of two exchanges are compared: most assets have three. */
const ASSET_LETTERS = 3;

/** A line of a file of rates: the record that an exchange's list of past fundings has. */
const recordedRate = z.object({
  fundingRate: z
    .union([z.string().regex(/^-?\d{1,10}(\.\d{1,30})?$/), z.number()])
    .refine((rate) => Math.abs(Number(rate)) <= MOST_RATE),
  fundingTime: z.int().min(0),
  marketId: z.string().optional(),
  symbol: z.string().optional(),
});

/** A file of rates, and what it is for. */
export interface RatesFileOptions {
  /** Relative to the folder. */
  readonly path: string;
  readonly folder: string;
  /** Of the bot's file, for errors. */
  readonly field: string;
  /** The market that the rates are for. Other exchanges' names have its first letters in them. */
  readonly marketId: MarketId;
}

/**
 * Reads a file of paid funding rates, one JSON record a line, and sorts it by time.
 * @throws ConfigError for a file that cannot be read, for a line that is no such record, and for
 * records of another market, if they name one
 */
export function readRatesFile({
  path,
  folder,
  field,
  marketId,
}: RatesFileOptions): readonly PaidRate[] {
  const expected =
    'lines such as {"fundingRate":"0.0001","fundingTime":1700000000000}, where 0.0001 means 0.01 %';
  let text: string;
  try {
    const bytes = readFileSync(resolve(folder, path));
    text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    throw new ConfigError(`cannot be read: ${describeThrown(error)}`, {
      field,
      value: path,
      expected: "a file of funding rates",
      cause: error,
    });
  }
  const rates: PaidRate[] = [];
  let first: string | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const record = recordedRate.safeParse(parseJson(line));
    if (!record.success)
      throw new ConfigError(`has a line ${at + 1} that is no funding rate`, {
        field,
        value: line.slice(0, 100),
        expected,
      });
    const { fundingRate, fundingTime, symbol, marketId: market = symbol } = record.data;
    first ??= market;
    if (market !== undefined && (market !== first || !isOfAsset(market, marketId)))
      throw new ConfigError(`has a line ${at + 1} of another market`, {
        field,
        value: market,
        expected:
          market === first
            ? `rates of the asset of ${marketId}, or lines that name no market`
            : `the same market in each line, such as ${first} in the first`,
      });
    // Exchanges stamp a funding some milliseconds after its boundary.
    const stampMs = Math.floor(fundingTime / 1000) * 1000;
    rates.push({ rateBps: Number(fundingRate) * 10_000, stampMs });
  }
  if (rates.length === 0)
    throw new ConfigError("has no funding rates", { field, value: path, expected });
  return rates.toSorted((one, other) => one.stampMs - other.stampMs);
}

/** True if a market of another exchange, such as `XBTUSD` or `PF_ETHUSD`, may be of the asset. */
function isOfAsset(market: string, marketId: MarketId): boolean {
  const asset = marketId.toUpperCase().slice(0, ASSET_LETTERS).replace("XBT", "BTC");
  return market.toUpperCase().replace("XBT", "BTC").includes(asset);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
