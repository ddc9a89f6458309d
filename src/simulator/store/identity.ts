import { ConfigError } from "../../core/errors.js";
import { decimalToScaled, scaledToDecimal } from "../../core/instrument.js";
import type { ExchangeConfig } from "../config/config.js";
import type { Market } from "../markets/market.js";
import { KEYS } from "./record-keys.js";
import type { RecordStore } from "./record-store.js";

const FORMAT = { format: "marketwright exchange", version: 2 } as const;

/**
 * The meaning of the amounts in a store, by field. An exchange with another configuration of them
 * cannot continue from it.
 */
type StoreTerms = Readonly<Record<string, string>>;

/** The records that identify a store, for an exchange of this configuration. */
export function buildIdentity(
  config: ExchangeConfig,
  markets: Iterable<Market>,
): ReadonlyMap<string, string> {
  return new Map([
    [KEYS.format, JSON.stringify(FORMAT)],
    [KEYS.terms, JSON.stringify(termsOf(config, markets))],
  ]);
}

/**
 * Distinguishes an exchange's own store from a new one.
 * @returns false for an empty store
 * @throws ConfigError when it has other content, another version, or an exchange that counted in
 * other units
 */
export function hasExistingState(
  records: RecordStore,
  config: ExchangeConfig,
  markets: Iterable<Market>,
): boolean {
  if (isNew(records)) {
    return false;
  }
  requireFormat(records);
  requireSameTerms(
    parsed(textAt(records, KEYS.terms) ?? ""),
    termsOf(config, markets),
    records.place,
  );
  return true;
}

/** True if a store has nothing but the log of a chain, which begins before the exchange does. */
function isNew(records: RecordStore): boolean {
  for (const [key] of records.withPrefix("")) {
    if (!key.startsWith(KEYS.chain)) return false;
  }
  return true;
}

/**
 * Checks that a store is new, or an exchange's.
 * @throws ConfigError when it has other content, or another version
 */
export function requireExchangeStore(records: RecordStore): void {
  if (!isNew(records)) requireFormat(records);
}

function requireFormat(records: RecordStore): void {
  const format = textAt(records, KEYS.format);
  if (format === undefined || parsed(format).format !== FORMAT.format) {
    throw new ConfigError("holds something other than an exchange's state", {
      field: "dataDir",
      value: records.place,
      expected: "the folder of an exchange, or an empty one",
    });
  }
  const { version } = parsed(format);
  if (version !== FORMAT.version) {
    throw new ConfigError(`holds an exchange's state in format ${version}`, {
      field: "dataDir",
      value: records.place,
      expected: `format ${FORMAT.version}, as this version of Marketwright writes it, or an empty folder`,
    });
  }
}

function requireSameTerms(
  stored: Readonly<Record<string, unknown>>,
  configured: StoreTerms,
  place: string,
): void {
  for (const [field, value] of Object.entries(stored)) {
    const now = configured[field];
    if (now === undefined) {
      const market = field.slice(0, field.lastIndexOf("."));
      throw new ConfigError("is missing, but the stored state has accounts and orders in it", {
        field: market,
        expected: `the market as in ${place}, or another dataDir`,
      });
    }
    if (now !== value) {
      throw new ConfigError("differs from the stored state", {
        field,
        value: now,
        expected: `${value}, as in ${place}, or another dataDir`,
      });
    }
  }
}

function termsOf(config: ExchangeConfig, markets: Iterable<Market>): StoreTerms {
  const { domain } = config;
  const terms: Record<string, string> = {
    "domain.name": domain.name,
    "domain.version": domain.version,
    "domain.chainId": String(domain.chainId),
    "domain.verifyingContract": domain.verifyingContract.toLowerCase(),
    creditDecimals: String(config.creditDecimals),
    paperDecimals: String(config.paperDecimals),
  };
  for (const { id, rules, configured } of markets) {
    terms[`markets.${id}.tickSize`] = plainDecimal(configured.tickSize);
    terms[`markets.${id}.stepSize`] = plainDecimal(configured.stepSize);
    terms[`markets.${id}.perp`] = rules.perp.toLowerCase();
  }
  return terms;
}

/** Returns the same text for equal numbers: 0.10 is 0.1. */
function plainDecimal(text: string): string {
  return scaledToDecimal(decimalToScaled(text, 18), 18);
}

function textAt(records: RecordStore, key: string): string | undefined {
  for (const [found, text] of records.withPrefix(key)) {
    if (found === key) {
      return text;
    }
  }
  return undefined;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
