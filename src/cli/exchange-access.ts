import { createAccountSigner, readAccountKey } from "../bot/config/account-key.js";
import {
  type BotConfig,
  type BotOrdersConfig,
  loadBotConfig,
  loadBotOrders,
} from "../bot/config/config.js";
import type { Signer } from "../core/crypto/signing.js";
import { RunError } from "../core/errors.js";
import type { Ms } from "../core/units.js";
import { NO_SUCH_ORDER } from "../exchange/protocol/errors.js";
import { NetworkTransport } from "../exchange/rest/network-transport.js";
import { RestClient } from "../exchange/rest/rest-client.js";
import type { Transport } from "../exchange/rest/transport.js";
import { VenueError, VenueRequestError } from "../exchange/venue-errors.js";
import type { CliContext } from "./cli-context.js";

/** A client of the exchange for one command. */
interface ExchangeAccess {
  readonly rest: string;
  /** The field or option that holds the address, for errors. */
  readonly field: string;
  readonly client: RestClient;
  /** The client's own network, which opens streams too. */
  readonly transport: Transport;
  /**
   * The exchange's clock less this machine's, once {@link ExchangeAccess.syncClock} has run; 0
   * before.
   */
  readonly clockOffsetMs: () => Ms;
  /** Reads the exchange's clock, so that requests are signed in its time. */
  readonly syncClock: () => Promise<{ readonly offsetMs: Ms; readonly roundTripMs: number }>;
  readonly close: () => void;
}

/** Address of the exchange, and the signing account. */
interface AccessOptions {
  readonly rest: string;
  /** The option that holds the address; the field of a bot's file when left out. */
  readonly field?: string | undefined;
  readonly stream: string;
  readonly signer?: Signer | undefined;
  readonly timeoutMs?: Ms | undefined;
  /** Concurrent requests; at least four. */
  readonly connections?: number | undefined;
}

/** The field of the address in a bot's file. */
const CONFIG_FIELD = "exchange.rest";
const FEWEST_CONNECTIONS = 4;

/** Opens the exchange for one command. @throws ConfigError when an address is not valid. */
export function openExchange(
  context: CliContext,
  { rest, field = CONFIG_FIELD, stream, signer, timeoutMs, connections = 0 }: AccessOptions,
): ExchangeAccess {
  const { clock } = context.runtime;
  const most = Math.max(connections, FEWEST_CONNECTIONS);
  const transport = new NetworkTransport({
    restUrl: rest,
    streamUrl: stream,
    clock,
    connections: most,
  });
  let offsetMs = 0;
  const client = new RestClient({
    transport,
    nowMs: () => clock.nowMs() + offsetMs,
    signer,
    timeoutMs,
  });
  const syncClock = async () => {
    const before = clock.monotonicMs();
    const server = await client.time();
    const roundTripMs = clock.monotonicMs() - before;
    offsetMs = Math.round(server + roundTripMs / 2 - clock.nowMs());
    return { offsetMs, roundTripMs };
  };
  return {
    rest,
    field,
    client,
    transport,
    clockOffsetMs: () => offsetMs,
    syncClock,
    close: () => transport.close(),
  };
}

/**
 * Runs a command's work with the exchange, and closes it.
 * @throws RunError as {@link nameExchangeInErrors} does.
 */
export async function withExchange<Access extends ExchangeAccess>(
  access: Access,
  work: (access: Access) => Promise<void>,
): Promise<void> {
  try {
    await nameExchangeInErrors(access.rest, () => work(access), access.field);
  } finally {
    access.close();
  }
}

/**
 * Runs work with an exchange. @throws RunError naming the address when nothing responds there, or
 * something that is not an exchange. @param field holds the address, for that error.
 */
export async function nameExchangeInErrors<T>(
  rest: string,
  work: () => Promise<T>,
  field = CONFIG_FIELD,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(error, rest, field);
  }
}

/** Adds the address to an error, if the address or its server may be the cause. */
function named(error: unknown, rest: string, field: string): unknown {
  if (!(error instanceof VenueRequestError || error instanceof VenueError)) return error;
  const { httpStatus } = error;
  const at = (summary: string, expected: string) =>
    new RunError(`${summary}: ${error.message}`, {
      field,
      value: rest,
      expected,
      cause: error,
    });
  if (httpStatus === undefined)
    return at(
      "cannot reach the exchange",
      "an exchange that answers there (marketwright exchange runs one)",
    );
  // An exchange may lack an order or an account; only another kind of server lacks an address.
  const isElsewhere =
    error instanceof VenueError
      ? httpStatus === 404 && error.code !== NO_SUCH_ORDER
      : httpStatus < 400 || httpStatus === 404;
  if (isElsewhere) {
    return at(
      `the address has no interface of the exchange (HTTP ${httpStatus})`,
      `the REST address with its version prefix, such as ${new URL(rest).origin}/v1`,
    );
  }
  return httpStatus >= 500
    ? at("the exchange answers with an error", "an exchange that is up and answers")
    : error;
}

/** A bot's file, its account's signer, and its exchange. */
export interface BotAccess<Config extends BotOrdersConfig = BotConfig> extends ExchangeAccess {
  readonly config: Config;
  readonly signer: Signer;
}

/** Loads a bot's file and opens its exchange. @throws ConfigError as {@link loadBotConfig} does. */
export function openBot(context: CliContext, file: string): BotAccess {
  return accessOf(context, loadBotConfig(file, context.env));
}

/**
 * The same for a command that cancels the bot's orders, whatever else is wrong in its file.
 * @param rest address of the exchange, in place of the file's. @throws ConfigError as
 * {@link loadBotOrders} does.
 */
export function openBotOrders(
  context: CliContext,
  file: string,
  rest?: string,
): BotAccess<BotOrdersConfig> {
  const config = loadBotOrders(file, context.env);
  return accessOf(
    context,
    rest === undefined ? config : { ...config, exchange: { ...config.exchange, rest } },
    rest === undefined ? undefined : "--rest",
  );
}

function accessOf<Config extends BotOrdersConfig>(
  context: CliContext,
  config: Config,
  field?: string,
): BotAccess<Config> {
  const signer = createAccountSigner(config.account, readAccountKey(config.account, context.env));
  const { rest, stream, requestTimeoutMs } = config.exchange;
  // Waiting for a connection uses up a request's own time. A command that queries every market at
  // once needs one for each, plus one each for the exchange's rules and clock.
  const connections = Object.keys(config.markets).length + 2;
  return {
    config,
    signer,
    ...openExchange(context, {
      rest,
      field,
      stream,
      signer,
      timeoutMs: requestTimeoutMs,
      connections,
    }),
  };
}
