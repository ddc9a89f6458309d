import { dirname } from "node:path";
import type { Signer } from "../../../core/crypto/signing.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import { createRxScheduler } from "../../../core/runtime/rx-scheduler.js";
import type { Hex, MarketId, Ms } from "../../../core/units.js";
import { createInstruments } from "../../../exchange/protocol/decode-rules.js";
import { INVALID_SIGNATURE, NO_ACCOUNT } from "../../../exchange/protocol/errors.js";
import type {
  VenueBalances,
  VenueOrder,
  VenueRules,
  VenueTrade,
} from "../../../exchange/records.js";
import type { RestBook, RestClient } from "../../../exchange/rest/rest-client.js";
import type { Transport } from "../../../exchange/rest/transport.js";
import { checkDomain } from "../../../exchange/signing/domain-check.js";
import { VenueError } from "../../../exchange/venue-errors.js";
import type { BoundStrategy } from "../../../strategies/strategy.js";
import type { BotConfig } from "../../config/config.js";
import { checkOnGrid } from "../../config/config-grid.js";
import { isBotOrder } from "../../execution/is-bot-order.js";
import { makerFeeBps } from "../../execution/signed-rates.js";
import { openFeedChain } from "../chain-access.js";
import type { PreparedSource } from "../references/prepare-sources.js";
import { checkChain } from "./check-chain.js";
import { checkFees } from "./check-fees.js";
import { checkHedgeVenues } from "./check-hedge.js";
import { checkReferencePrices } from "./check-reference-prices.js";
import { checkStreams } from "./check-streams.js";
import type { Finding } from "./finding.js";

/** Inputs of {@link checkVenue}. */
export interface VenueCheck {
  readonly config: BotConfig;
  readonly signer: Signer;
  readonly client: RestClient;
  /** The client's own transport, for the streams. */
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly syncClock: () => Promise<{ readonly offsetMs: Ms; readonly roundTripMs: number }>;
  readonly strategies: ReadonlyMap<MarketId, BoundStrategy>;
  /** Hashes of our server-built orders. */
  readonly serverBuiltHashes: ReadonlySet<string>;
  /** The sources of reference prices that can be used. */
  readonly references: readonly PreparedSource[];
  /** Holds the API keys of hedge venues. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The chain's RPCs, and the address that signs there. */
  readonly rpcs: readonly string[];
  readonly sender: Hex;
  /** Longest wait for the streams' first data. */
  readonly withinMs: Ms;
}

/**
 * Checks everything of an exchange that a bot depends on: clock, EIP-712 domain, markets and their
 * grids, fee rates, margin, open orders of the account that the bot did not place, the streams, and
 * the hedge venues.
 * Sends only queries.
 * @throws ConfigError for a market or size that the exchange does not have; VenueRequestError if it
 * cannot be reached.
 */
export async function checkVenue(check: VenueCheck): Promise<Finding[]> {
  const { config, client, transport, runtime, signer, withinMs } = check;
  const { finding, offsetMs } = await clockFinding(check);
  const findings: Finding[] = [finding];
  const rules = await client.exchangeInfo(Object.keys(config.markets));
  findings.push(...domainFindings(rules));
  checkOnGrid(config, rules);
  bindStrategies(check, rules);
  findings.push(...marketFindings(config, rules), ...rateFindings(rules));
  const account = await accountFindings(check, rules);
  findings.push(...account.findings);
  const { registered } = account;
  const exchangeNowMs = () => runtime.clock.nowMs() + offsetMs;
  const { clock } = runtime;
  findings.push(
    ...(await checkChain({
      config,
      client,
      rules,
      rpcs: check.rpcs,
      account: signer.address,
      sender: check.sender,
      registered,
      clock,
      nowMs: exchangeNowMs,
    })),
  );
  findings.push(
    ...(await checkStreams({
      config,
      transport,
      runtime,
      signer,
      rules,
      exchangeNowMs,
      registered,
      withinMs,
    })),
  );
  findings.push(
    ...(await checkReferencePrices({
      config,
      sources: check.references,
      instruments: createInstruments(rules),
      client,
      runtime,
      exchangeNowMs,
      openChain: () => openFeedChain(check, rules, exchangeNowMs),
      withinMs,
    })),
  );
  const { env } = check;
  findings.push(
    ...(await checkHedgeVenues({ config, env, runtime, account: signer.address, rules })),
  );
  return findings;
}

async function clockFinding({
  config,
  syncClock,
}: VenueCheck): Promise<{ readonly finding: Finding; readonly offsetMs: Ms }> {
  const { offsetMs, roundTripMs } = await syncClock();
  const text = `the exchange's clock is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? "behind" : "ahead of"} this machine's (measured within ${Math.ceil(roundTripMs / 2)} ms)`;
  const limit = config.exchange.maxClockOffsetMs;
  const finding: Finding =
    Math.abs(offsetMs) <= limit
      ? { level: "ok", subject: "clock", text }
      : {
          level: "error",
          subject: "clock",
          text: `${text}; expected at most exchange.maxClockOffsetMs, ${limit}`,
        };
  return { finding, offsetMs };
}

function domainFindings(rules: VenueRules): Finding[] {
  const differences = checkDomain(rules);
  if (differences.length === 0)
    return [
      {
        level: "ok",
        subject: "domain",
        text: "the EIP-712 domain and type hashes equal the computed ones",
      },
    ];
  return differences.map(({ field, value, expected }) => ({
    level: "error",
    subject: "domain",
    text: `${field} is ${value}; expected ${expected}`,
  }));
}

/** A strategy may refuse its parameters only once it knows the market's grid. */
function bindStrategies({ config, strategies, runtime }: VenueCheck, rules: VenueRules): void {
  const scheduler = createRxScheduler(runtime.clock);
  for (const [marketId, instrument] of createInstruments(rules)) {
    strategies.get(marketId)?.({
      marketId,
      instrument,
      scheduler,
      random: runtime.random,
      makerFeeBps: () => makerFeeBps(config, rules.markets[marketId]),
      folder: dirname(config.path),
    });
  }
}

function marketFindings(config: BotConfig, rules: VenueRules): Finding[] {
  return Object.keys(config.markets).map((marketId) => {
    const market = rules.markets[marketId];
    const subject = `markets.${marketId}`;
    if (market?.status !== "TRADING")
      return {
        level: "error",
        subject,
        text: `the market is ${market?.status ?? "unknown"}; expected TRADING`,
      };
    return {
      level: "ok",
      subject,
      text: `trading; tick ${market.tickSize}, step ${market.stepSize}, at most ${market.maxOpenOrders} open orders`,
    };
  });
}

function rateFindings(rules: VenueRules): Finding[] {
  const text = rules.rateLimits
    .map(({ name, limit, intervalMs }) => `${name} ${limit} in ${intervalMs / 1000} s`)
    .join(", ");
  return [
    { level: "ok", subject: "rate limits", text: text === "" ? "the exchange names none" : text },
  ];
}

async function accountFindings(
  check: VenueCheck,
  rules: VenueRules,
): Promise<{ readonly findings: readonly Finding[]; readonly registered: boolean }> {
  const { client } = check;
  try {
    const { balances } = await client.balances();
    const books = await Promise.all(
      Object.keys(check.config.markets).map((marketId) => client.orderbook(marketId, 10)),
    );
    const trades = new Map<MarketId, readonly VenueTrade[]>();
    for (const marketId of Object.keys(check.config.markets))
      trades.set(marketId, await client.userTrades(marketId));
    const findings = [
      ...checkFees(check.config, rules, trades),
      ...marginFindings(check.config, rules, balances, books),
      ...orderFindings(check, await client.openOrders()),
    ];
    return { findings, registered: true };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return {
      findings: [...checkFees(check.config, rules, new Map()), refusedAccount(check, error)],
      registered: false,
    };
  }
}

/** Advice for an account whose balances the exchange does not report. */
function refusedAccount(
  { config, signer, sender }: VenueCheck,
  { code, message }: VenueError,
): Finding {
  const problem = `${signer.address}: ${message}`;
  if (config.account.address !== undefined && [...NO_ACCOUNT, INVALID_SIGNATURE].includes(code)) {
    const text = `${problem}; expected an account that its own key has registered (marketwright call registerAccount account=${signer.address}), with ${sender} as its operator (setOperator). An operator's key can do neither`;
    return { level: "error", subject: "account.address", text };
  }
  if (NO_ACCOUNT.includes(code))
    return {
      level: "warning",
      subject: "account",
      text: `${problem}; the bot registers its account when it starts`,
    };
  return { level: "error", subject: "account", text: problem };
}

function marginFindings(
  config: BotConfig,
  rules: VenueRules,
  balances: VenueBalances,
  books: readonly RestBook[],
): Finding[] {
  const unit = 10 ** rules.creditDecimals;
  const netValue = Number(balances.netValue) / unit;
  const instruments = createInstruments(rules);
  let needed = 0;
  const unbounded: string[] = [];
  for (const { marketId, bids, asks } of books) {
    const limit = config.markets[marketId]?.limits.maxPositionBase;
    const ticks = bids[0] ?? asks[0];
    const instrument = instruments.get(marketId);
    if (limit === undefined) unbounded.push(marketId);
    else if (ticks !== undefined && instrument !== undefined)
      needed +=
        (Number(limit) * ticks * instrument.tickQuote) /
        (rules.markets[marketId]?.maxLeverage ?? 1);
  }
  const findings: Finding[] = unbounded.map((marketId) => ({
    level: "warning",
    subject: `markets.${marketId}.limits`,
    text: "has no maxPositionBase: only the account's limits and margin bound the position",
  }));
  const text = `net value ${netValue.toFixed(2)}, and positions at their limits would need ${needed.toFixed(2)} of margin`;
  findings.push(
    needed <= netValue
      ? { level: "ok", subject: "margin", text }
      : {
          level: "warning",
          subject: "margin",
          text: `${text}: the exchange would refuse orders before the limits are reached`,
        },
  );
  if (!balances.isSafe)
    findings.push({
      level: "error",
      subject: "margin",
      text: "the account is below maintenance margin",
    });
  return findings;
}

function orderFindings(
  { config, signer, serverBuiltHashes }: VenueCheck,
  orders: readonly VenueOrder[],
): Finding[] {
  const here = orders.filter(({ marketId }) => config.markets[marketId] !== undefined);
  const manual = here.filter((order) => !isBotOrder(order, signer.address, serverBuiltHashes));
  const own = here.length - manual.length;
  if (manual.length === 0)
    return [
      {
        level: "ok",
        subject: "orders",
        text: `${own} open orders, all placed by this bot`,
      },
    ];
  const list = manual.map(({ marketId, id, side }) => `${marketId} ${side} ${id}`).join(", ");
  return [
    {
      level: "warning",
      subject: "orders",
      text: `${manual.length} open orders were not placed by this bot (${list}): guard, cancel-all and the recovery of an unconfirmed order would cancel these too`,
    },
  ];
}
