import { z } from "zod";
import type { BotConfig } from "../../bot/config/config.js";
import { protectSecret } from "../../core/crypto/secrets.js";
import { ConfigError } from "../../core/errors.js";

/** Addresses and key of a hedge exchange, from its first line. */
const startedHedgeSchema = z.object({
  restUrl: z.string(),
  streamUrl: z.string(),
  dialect: z.object({
    restUrl: z.string(),
    streamUrl: z.string(),
    apiKey: z.string(),
    apiSecret: z.string(),
  }),
});

/** A started exchange that is the bot's hedge venue. */
export type StartedHedgeExchange = z.output<typeof startedHedgeSchema>;

/** Reads the first line of a hedge exchange. */
export function readStartedHedgeExchange(line: string): StartedHedgeExchange {
  const started = startedHedgeSchema.parse(JSON.parse(line));
  protectSecret(started.dialect.apiSecret);
  return started;
}

/** The arguments that start an exchange as a hedge venue. */
export function hedgeExchangeArgs(
  file: string,
  ports: { readonly hedgePort?: string; readonly hedgeDialectPort?: string },
): readonly string[] {
  const { hedgePort, hedgeDialectPort } = ports;
  return [
    "exchange",
    file,
    "--dialect",
    "binance-usdm",
    ...(hedgePort === undefined ? [] : ["--port", hedgePort]),
    ...(hedgeDialectPort === undefined ? [] : ["--dialect-port", hedgeDialectPort]),
    "--json",
  ];
}

/** @throws ConfigError for a bot that would not use a hedge exchange */
export function requireHedge({ hedgeVenues = {}, path }: BotConfig): void {
  if (Object.keys(hedgeVenues).length > 0) return;
  throw new ConfigError("is of no use to a bot without a hedge", {
    field: "--hedge-exchange",
    value: path,
    expected: "a bot's file with hedgeVenues",
  });
}

/** The variables of the file's hedge venues, with the key that the started exchange has made. */
export function hedgeKeyEnv(
  { hedgeVenues = {} }: BotConfig,
  { dialect }: StartedHedgeExchange,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.values(hedgeVenues).flatMap(({ keyEnv, secretEnv }) => [
      [keyEnv, dialect.apiKey],
      [secretEnv, dialect.apiSecret],
    ]),
  );
}

/**
 * The parts of a bot's file that name the hedge exchange, at the addresses where it was started:
 * its hedge venues, and reference prices of its markets.
 */
export function atHedgeExchange(
  written: Readonly<Record<string, unknown>>,
  { restUrl, streamUrl, dialect }: StartedHedgeExchange,
): Readonly<Record<string, unknown>> {
  const urls = { rest: dialect.restUrl, stream: dialect.streamUrl };
  const exchange = { rest: restUrl, stream: streamUrl };
  const { hedgeVenues, references } = written;
  return {
    ...(isMap(hedgeVenues)
      ? { hedgeVenues: mapValues(hedgeVenues, (one) => ({ ...one, urls })) }
      : {}),
    ...(isMap(references)
      ? {
          references: mapValues(references, (one) =>
            "exchange" in one ? { ...one, exchange } : one,
          ),
        }
      : {}),
  };
}

function mapValues(
  map: Readonly<Record<string, unknown>>,
  change: (value: Readonly<Record<string, unknown>>) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, isMap(value) ? change(value) : value]),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
