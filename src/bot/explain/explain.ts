import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { Log } from "../../monitoring/log.js";
import { DAILY_LOSS } from "../../risk/halt.js";
import type { Bot } from "../engine/bot.js";
import { LIFE_FILE } from "../run/exchange-instance.js";
import { startBot } from "../run/run-bot.js";
import type { RunBotOptions, RunningBot } from "../run/running-bot.js";
import { readDecidingState } from "../run/session-journal.js";
import { MemoryStateStore, type StateStore } from "../state/state-dir.js";
import { accountHalts } from "../status/bot-status.js";
import { quoteText } from "../status/quote-text.js";
import { explainLiquidator } from "./explain-liquidator.js";
import { formatLossRules } from "./explain-losses.js";
import { explainMarket } from "./explain-market.js";
import { accountTokens } from "./explain-tokens.js";
import { type PlannedWorst, plannedWorst } from "./explain-worst.js";
import type { ExplainedMarket, Explanation } from "./explanation.js";
import { implausibleValues } from "./implausible-values.js";

/** Options of {@link explainBot}: those that a run is started with. */
export type ExplainOptions = Omit<
  RunBotOptions,
  "store" | "dryRun" | "journal" | "withoutLiquidator"
> & {
  /** The state of an earlier run: read, never written. None if absent. */
  readonly store?: Pick<StateStore, "read" | "names">;
  /** Longest wait for every market's plan; 10000 if absent. */
  readonly withinMs?: Ms;
};

const WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

/**
 * Explains the quotes that the bot would place now and why, and the takeovers of its liquidator.
 * Runs it dry until each market has a plan, on live streams and the account as it is. Sends only
 * queries: it places, cancels and registers nothing, and writes no state.
 * @throws ConfigError for errors in the configuration, RunError or VenueRequestError if the
 * exchange cannot be reached, and any exception that ends the bot.
 */
export async function explainBot({
  store,
  withinMs = WITHIN_MS,
  ...options
}: ExplainOptions): Promise<Explanation> {
  const { clock } = options.runtime;
  const running = await startBot({
    ...options,
    store: new MemoryStateStore(store === undefined ? {} : stateOf(store)),
    dryRun: true,
    withoutLiquidator: true,
  });
  let isBroken = false;
  running.stopped.catch(() => {
    isBroken = true;
  });
  try {
    const endMs = clock.monotonicMs() + withinMs;
    while (!isBroken && !isAnswered(running) && clock.monotonicMs() < endMs) {
      await new Promise<void>((resolve) => clock.setTimer(LOOK_EVERY_MS, resolve));
    }
    if (isBroken) await running.stopped;
    const { config, runtime, privateKey, chain: access } = options;
    const { bot, client, account } = running;
    const memory = new MemoryStateStore();
    const nowMs = () => bot.context.exchangeTime.nowMs();
    const liquidator =
      access === undefined
        ? undefined
        : await explainLiquidator(
            {
              config,
              privateKey,
              account,
              runtime,
              store: memory,
              client,
              bot,
              access,
              nowMs,
            },
            withinMs,
          );
    if (isBroken) await running.stopped;
    decideAgain(running);
    return { ...explanationOf(running), ...(liquidator === undefined ? {} : { liquidator }) };
  } finally {
    running.bot.abandon();
    running.close();
  }
}

/**
 * The state files that decide the actions of a run, and the exchange instance that they belong to.
 */
function stateOf(store: Pick<StateStore, "read" | "names">): Readonly<Record<string, string>> {
  const life = store.read(LIFE_FILE);
  return { ...readDecidingState(store), ...(life === undefined ? {} : { [LIFE_FILE]: life }) };
}

/**
 * Calls every strategy and plans its quotes in one turn. Markets answer at different times, and a
 * strategy is called only so often: without it the newest book may be another than the one that the
 * quotes are for.
 */
function decideAgain({ bot }: RunningBot): void {
  for (const { running, decisions } of bot.context.traders.values())
    if (running) decisions.request(false);
  bot.accept({ kind: "wake" });
}

/** The explanation of a dry run in its present state. */
function explanationOf(running: RunningBot): Explanation {
  const { bot, registered } = running;
  const { context } = bot;
  const isKnown = registered && context.account.equity !== undefined;
  const planned = plannedWorst(context, isKnown);
  const markets = explainMarkets(bot, planned, isKnown);
  const { netValue, notional, initialMargin, maintenance } = planned.worst;
  const ofNetValue = (units: bigint): number | undefined =>
    isKnown && netValue > 0n ? Number((units * 1_000_000n) / netValue) / 1_000_000 : undefined;
  return {
    config: context.config.path,
    account: running.account,
    registered,
    complete: isAnswered(running),
    atMs: context.exchangeTime.nowMs(),
    halts: accountHalts(bot),
    markets,
    implausible: implausibleValues(bot, markets),
    losses: formatLossRules(context.config),
    worst: {
      netValueQuote: isKnown ? quoteText(bot, netValue) : undefined,
      notionalQuote: quoteText(bot, notional),
      initialMarginQuote: quoteText(bot, initialMargin),
      maintenanceQuote: quoteText(bot, maintenance),
      marginUseFraction: ofNetValue(initialMargin),
      leverage: ofNetValue(notional),
    },
    tokens: accountTokens(
      context,
      Object.values(markets).map(({ tokens }) => tokens),
    ),
  };
}

function explainMarkets(
  bot: Bot,
  planned: PlannedWorst,
  isKnown: boolean,
): Readonly<Record<MarketId, ExplainedMarket>> {
  return Object.fromEntries(
    [...bot.context.traders].map(([marketId, trader]) => [
      marketId,
      explainMarket(bot, trader, planned, isKnown),
    ]),
  );
}

/**
 * Logs the values of a bot's file that are far from what its markets make sensible, once, as soon
 * as every market has quoted. It only reads the bot's state.
 * @returns a function that stops waiting for that.
 */
export function warnOfImplausibleValues(
  { bot, registered }: RunningBot,
  clock: Clock,
  log: Log,
): () => void {
  let timer = clock.setTimer(LOOK_EVERY_MS, look);
  function look(): void {
    if (bot.phase === "stopped") return;
    if (!isAnswered({ bot })) {
      timer = clock.setTimer(LOOK_EVERY_MS, look);
      return;
    }
    const isKnown = registered && bot.context.account.equity !== undefined;
    const markets = explainMarkets(bot, plannedWorst(bot.context, isKnown), isKnown);
    for (const { field, text } of implausibleValues(bot, markets))
      log.warn({ field }, `${field}: ${text}`);
  }
  return () => timer.cancel();
}

/**
 * True if every market has planned, for a view of its own if a strategy quotes, or is halted until
 * an operator resumes it.
 */
function isAnswered({ bot }: Pick<RunningBot, "bot">): boolean {
  const { context, tradingGuards } = bot;
  for (const trader of context.traders.values()) {
    if (
      tradingGuards
        .haltsFor(trader.marketId)
        .some(({ resumesByItself, name }) => !resumesByItself || name === DAILY_LOSS)
    )
      continue;
    const hasDecided = trader.hasStrategy
      ? !trader.isAwaitingView && (trader.quotes ?? trader.target) !== undefined
      : trader.book.isSynchronised;
    const isPlanned = trader.plan !== undefined && !trader.isDirty && hasDecided;
    if (
      context.phase !== "running" ||
      !tradingGuards.areQuotesAllowed(trader.marketId) ||
      !isPlanned ||
      !Number.isFinite(trader.state.markTicks)
    )
      return false;
  }
  return true;
}
