import { chainShape } from "../../bot/config/fields/chain-fields.js";
import { exchangeShape } from "../../bot/config/fields/exchange-fields.js";
import { checkShape } from "../../core/config/config-shape.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { ConfigError, MarketwrightError } from "../../core/errors.js";
import type { MarketId } from "../../core/units.js";
import type { MarketRules, VenueRules } from "../../exchange/records.js";
import { DEFAULT_REST } from "../call-defaults.js";
import type { CliContext } from "../cli-context.js";
import { nameExchangeInErrors, openExchange } from "../exchange-access.js";
import type { Choice, Chooser } from "./chooser.js";
import { type MarketFacts, readDayVolumes, readMarketFacts } from "./market-facts.js";
import { checkVariableName } from "./variable-name.js";

type ExchangeAccess = ReturnType<typeof openExchange>;

/** The chosen exchange, opened. */
export interface ChosenExchange extends ExchangeAccess {
  readonly stream: string;
  readonly rules: VenueRules;
  /** True for an exchange on this machine. */
  readonly isLocal: boolean;
}

/** The exchange's address of the options. */
export interface ExchangeAddressOptions {
  readonly exchange?: string;
  readonly stream?: string;
}

/** The option of the address: there is no file yet whose field could be named. */
const FIELD = "--exchange";
/** RPC of the embedded exchange's chain. */
const DEFAULT_RPC = "http://127.0.0.1:8621";

/** Chooses the exchange, and reads its rules. */
export function chooseExchange(
  context: CliContext,
  chooser: Chooser,
  { exchange, stream }: ExchangeAddressOptions,
): Promise<Choice<ChosenExchange>> {
  return chooser.choose({
    question: "REST address of the exchange",
    given: exchange,
    fallback: DEFAULT_REST,
    parse: async (text) => {
      const { rest, stream: streams } = checkAddresses(text, stream);
      refuseSecret(rest, "--exchange", "an address without one");
      refuseSecret(streams, "--stream", "an address without one");
      const access = openExchange(context, { rest, field: FIELD, stream: streams });
      try {
        const rules = await nameExchangeInErrors(rest, () => access.client.exchangeInfo(), FIELD);
        return { ...access, stream: streams, rules, isLocal: isLoopback(rest) };
      } catch (error) {
        access.close();
        throw error;
      }
    },
  });
}

function checkAddresses(rest: string, stream: string | undefined) {
  // A name without a scheme is a frequent slip; the shape's error shows the full form.
  const streams = stream ?? rest.replace(/^http/, "ws");
  return checkFields(
    { rest, stream: streams },
    { rest: "--exchange", stream: stream === undefined ? "--exchange" : "--stream" },
  );
}

function checkFields(
  written: { readonly rest: string; readonly stream: string },
  options: Readonly<Record<"rest" | "stream", string>>,
) {
  try {
    return checkShape(exchangeShape, written);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { field, value, expected } = error;
    throw new ConfigError("is not an address that a bot takes", {
      field: field === "stream" ? options.stream : options.rest,
      value,
      ...(expected === undefined ? {} : { expected }),
    });
  }
}

/** Chooses the markets, and reads their state. @param all true if the default is all of them. */
export async function chooseMarkets(
  { runtime: { clock } }: CliContext,
  chooser: Chooser,
  exchange: ChosenExchange,
  options: { readonly given: readonly string[] | undefined; readonly all: boolean },
): Promise<Choice<readonly MarketFacts[]>> {
  const { rules, client, rest } = exchange;
  const trading = Object.values(rules.markets).filter(isTrading);
  if (trading.length === 0)
    throw new ConfigError("has no market that trades", { field: "--exchange", value: rest });
  const [busiest] = await byVolume(trading, exchange);
  const known = trading.map(({ marketId }) => marketId);
  const fallback = options.all ? known.join(",") : (busiest?.marketId ?? "");
  return chooser.choose({
    question: `Markets, of ${known.join(", ")}`,
    given: options.given?.join(","),
    fallback,
    parse: async (text) => {
      const ids = [...new Set(text.split(/[\s,]+/).filter((id) => id !== ""))];
      if (ids.length === 0)
        throw new ConfigError("names no market", { field: "--market", value: text });
      for (const id of ids) checkMarket(id, rules);
      return nameExchangeInErrors(
        rest,
        () => Promise.all(ids.map((id) => readMarketFacts(id, rules, { client, clock }))),
        FIELD,
      );
    },
  });
}

function checkMarket(id: MarketId, rules: VenueRules): void {
  const known = Object.keys(rules.markets);
  const market = Object.hasOwn(rules.markets, id) ? rules.markets[id] : undefined;
  if (market === undefined) {
    const unread = rules.unread?.[id];
    const near = findNearestName(id, known);
    throw new ConfigError(
      unread === undefined
        ? `the exchange has no such market${near === undefined ? "" : `, did you mean ${near}?`}`
        : `the exchange's rules of this market cannot be read: ${unread}`,
      { field: "--market", value: id, expected: `one of ${known.join(", ")}` },
    );
  }
  if (!isTrading(market))
    throw new ConfigError(`is ${market.status}`, {
      field: "--market",
      value: id,
      expected: "a market that trades",
    });
}

function isTrading({ status }: MarketRules): boolean {
  return status === "TRADING";
}

/** Sorts markets by what traded in 24 hours, most first; unsorted if the exchange does not say. */
async function byVolume(
  markets: readonly MarketRules[],
  { client }: ChosenExchange,
): Promise<readonly MarketRules[]> {
  try {
    const volumes = await readDayVolumes(client);
    const at = ({ marketId }: MarketRules) => Number(volumes.get(marketId) ?? 0);
    return [...markets].sort((a, b) => at(b) - at(a));
  } catch (error) {
    // The endpoint is not in the specification, and only a default depends on it.
    if (!(error instanceof MarketwrightError)) throw error;
    return markets;
  }
}

/** Where the addresses of the chain's nodes are. */
export type ChosenRpc = { readonly address: string } | { readonly env: string };

/** Chooses the chain's RPC, of a bot that liquidates. */
export async function chooseRpc(
  chooser: Chooser,
  { isLocal }: ChosenExchange,
  {
    rpc,
    rpcEnv,
    env,
  }: {
    readonly rpc?: string | undefined;
    readonly rpcEnv?: string | undefined;
    readonly env: CliContext["env"];
  },
): Promise<Choice<ChosenRpc>> {
  if (rpcEnv !== undefined) {
    if (rpc !== undefined)
      throw new ConfigError("does not go with --rpc", {
        field: "--rpc-env",
        expected: "either --rpc or --rpc-env",
      });
    const name = checkVariableName(rpcEnv, "--rpc-env", env);
    return { value: { env: name }, text: name, source: "option" };
  }
  return chooser.choose<ChosenRpc>({
    question: "JSON-RPC address of the chain, without a key in it",
    given: rpc,
    fallback: isLocal ? DEFAULT_RPC : undefined,
    missing: () =>
      new ConfigError("is missing: a liquidator reads the chain", {
        field: "--rpc",
        expected: "--rpc ADDRESS, or --rpc-env NAME for an address with a key in it",
      }),
    parse: (address) => {
      checkRpc(address);
      return { address };
    },
  });
}

function checkRpc(address: string): void {
  const field = "--rpc";
  try {
    checkShape(chainShape, { rpc: [address] });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError("is not an address of a chain", {
      field,
      value: address,
      expected: "an address such as http://127.0.0.1:8545",
    });
  }
  refuseSecret(address, field, "--rpc-env NAME, the variable that holds the address");
}

/** An address is written into the file: one with a key in its path must not be. */
function refuseSecret(address: string, field: string, expected: string): void {
  if (maskSecrets(address) === address) return;
  throw new ConfigError("holds what may be a key", { field, value: address, expected });
}

function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(address).hostname);
}
