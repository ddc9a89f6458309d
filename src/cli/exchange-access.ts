import { readAccountKey } from "../bot/config/account-key.js";
import { type BotConfig, loadBotConfig } from "../bot/config/config.js";
import { RunError } from "../core/errors.js";
import { ecdsaScheme, type Signer } from "../core/signing.js";
import type { Ms } from "../core/units.js";
import { NetworkTransport } from "../exchange/network-transport.js";
import { RestClient } from "../exchange/rest-client.js";
import { VenueRequestError } from "../exchange/venue-errors.js";
import type { CliContext } from "./cli-context.js";

/** A client of the exchange for one command. */
export interface ExchangeAccess {
  readonly rest: string;
  readonly client: RestClient;
  /** The exchange's clock less this machine's, once {@link ExchangeAccess.syncClock} has asked; 0 before. */
  readonly clockOffsetMs: () => Ms;
  /** Asks the exchange's clock, so that requests are signed in its time. */
  readonly syncClock: () => Promise<{ readonly offsetMs: Ms; readonly roundTripMs: number }>;
  readonly close: () => void;
}

/** Where the exchange is and who asks. */
export interface AccessOptions {
  readonly rest: string;
  readonly stream: string;
  readonly signer?: Signer | undefined;
  readonly timeoutMs?: Ms | undefined;
}

/** Opens the exchange for one command. @throws ConfigError when an address is none. */
export function openExchange(context: CliContext, { rest, stream, signer, timeoutMs }: AccessOptions): ExchangeAccess {
  const { clock } = context.seam;
  const transport = new NetworkTransport({ restUrl: rest, streamUrl: stream, clock, connections: 4 });
  let offsetMs = 0;
  const client = new RestClient({
    transport,
    nowMs: () => clock.nowMs() + offsetMs,
    ...(signer === undefined ? {} : { signer }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  const syncClock = async () => {
    const before = clock.monotonicMs();
    const server = await client.time();
    const roundTripMs = clock.monotonicMs() - before;
    offsetMs = Math.round(server + roundTripMs / 2 - clock.nowMs());
    return { offsetMs, roundTripMs };
  };
  return { rest, client, clockOffsetMs: () => offsetMs, syncClock, close: () => transport.close() };
}

/**
 * Does a command's work with the exchange and closes it.
 * @throws RunError naming the address when nothing answers there.
 */
export async function withExchange<Access extends ExchangeAccess>(access: Access, work: (access: Access) => Promise<void>): Promise<void> {
  try {
    await namingExchange(access.rest, () => work(access));
  } finally {
    access.close();
  }
}

/** Does work with an exchange. @throws RunError naming the address when nothing answers there. */
export async function namingExchange<T>(rest: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VenueRequestError) || error.httpStatus !== undefined) throw error;
    throw new RunError(`cannot reach the exchange: ${error.message}`, {
      field: "exchange.rest",
      value: rest,
      expected: "an exchange that answers there (marketwright exchange runs one)",
      cause: error,
    });
  }
}

/** A bot's file, its account's signer, and its exchange. */
export interface BotAccess extends ExchangeAccess {
  readonly config: BotConfig;
  readonly signer: Signer;
}

/** Loads a bot's file and opens its exchange. @throws ConfigError as {@link loadBotConfig} does. */
export function openBot(context: CliContext, file: string): BotAccess {
  const config = loadBotConfig(file, context.env);
  const signer = ecdsaScheme.signer(readAccountKey(config.account.keyEnv, context.env));
  const { rest, stream, requestTimeoutMs } = config.exchange;
  return { config, signer, ...openExchange(context, { rest, stream, signer, timeoutMs: requestTimeoutMs }) };
}
