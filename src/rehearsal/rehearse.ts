import type { BotConfig } from "../bot/config/config.js";
import { checkOnGrid } from "../bot/config/config-grid.js";
import { ConfigError } from "../core/errors.js";
import { seededRandom } from "../core/runtime/seeded-random.js";
import { VirtualClock } from "../core/runtime/virtual-clock.js";
import { MINUTE_MS, type Ms } from "../core/units.js";
import { rulesOf } from "../simulation/bot-rig.js";
import { EmbeddedExchange } from "../simulator/exchange.js";
import {
  prepareMarket,
  type RehearsalExchange,
  type RehearsalMarket,
} from "./market/rehearsal-market.js";
import type { Rehearsal, RehearsedRun } from "./rehearsal-result.js";
import type { RehearsedFault } from "./rehearsed-fault.js";
import { rehearsedFaultsFor } from "./rehearsed-faults-for.js";
import { quoteAmount } from "./summary/quote-amount.js";
import { type RunJob, RunPlayer, type SharedRunOptions } from "./threads/run-player.js";
import { playOnThreads } from "./threads/run-pool.js";
import { HEDGE_CREDIT } from "./world/hedge-exchanges.js";

/** Options of {@link rehearse}. */
export interface RehearseOptions {
  readonly bot: BotConfig;
  /** Path of the bot's file, for the result. */
  readonly botName: string;
  /** A synthetic market for each market of the bot if absent. */
  readonly exchange: RehearsalExchange | undefined;
  readonly seeds: readonly number[];
  /** The kinds to rehearse; every kind that applies if empty. `none` always runs. */
  readonly faults: readonly RehearsedFault[];
  /** Length of each run. */
  readonly marketMs: Ms;
  /** Number of worker threads. 0 runs everything in this thread. */
  readonly threads: number;
  /** True if the bot's guard runs beside it. */
  readonly runsGuard: boolean;
  /** Records the time line of each run. */
  readonly withTimeline?: boolean;
  /** Called after each run, in any order. */
  readonly onRun?: (run: RehearsedRun, done: number, total: number) => void;
  /** Ends the rehearsal early, with the runs that are complete. */
  readonly signal?: AbortSignal;
}

const NEVER = new AbortController().signal;

/**
 * Runs a bot on simulated markets, each seed once without a fault and once under each kind. Equal
 * options give an equal result, whatever the number of threads.
 * @throws ConfigError for a market that the exchange does not have, sizes off its grid, and a
 * strategy that cannot be loaded, and a named fault that does not apply to the bot's file
 */
export async function rehearse(options: RehearseOptions): Promise<Rehearsal> {
  const { botName, seeds, marketMs, threads, runsGuard, onRun, signal = NEVER } = options;
  const { liquidator, ...bot } = options.bot;
  requireQuotes(bot);
  const market = prepareMarket(bot, options.exchange);
  checkSizes(bot, market);
  const { faults, notRehearsed } = rehearsedFaultsFor(
    bot,
    market.config,
    runsGuard,
    options.faults,
  );
  const { withTimeline = false } = options;
  const shared: SharedRunOptions = { bot, market, marketMs, runsGuard, withTimeline };
  const jobs = seeds.flatMap((seed) =>
    (["none", ...faults] as const).map((fault): RunJob => ({ seed, fault })),
  );
  const player = new RunPlayer(shared);
  const equityScaled = await player.startEquity({ seed: seeds[0] ?? 1, fault: "none" });
  const runs = new Map<string, RehearsedRun>();
  const done = (run: RehearsedRun): void => {
    runs.set(keyOf(run), run);
    onRun?.(run, runs.size, jobs.length);
  };
  if (threads === 0)
    for (const job of jobs) {
      if (signal.aborted) break;
      done(await player.play(job));
    }
  else await playOnThreads(shared, jobs, threads, done, signal);
  return {
    bot: botName,
    seeds,
    marketMs,
    decimals: market.config.creditDecimals,
    equityScaled,
    runsGuard,
    orderTokensPerMinute: orderTokensPerMinute(market),
    notes: [
      ...market.notes,
      creditNote(bot, market, equityScaled),
      ...(liquidator === undefined
        ? []
        : ["The liquidator of the file is left out: takeovers are not rehearsed."]),
    ],
    notRehearsed,
    runs: jobs.flatMap((job) => runs.get(keyOf(job)) ?? []),
    isComplete: runs.size === jobs.length,
  };
}

/** Says what the simulated accounts begin with: the user's own may hold less. */
function creditNote(
  { hedgeVenues = {} }: Pick<BotConfig, "hedgeVenues">,
  { config }: RehearsalMarket,
  equityScaled: bigint,
): string {
  const credit = quoteAmount(equityScaled, config.creditDecimals);
  const hedged =
    Object.keys(hedgeVenues).length === 0 ? "" : `, each hedge account with ${HEDGE_CREDIT}.00`;
  return `The simulated account begins with ${credit} quote${hedged}.`;
}

function keyOf({ seed, fault }: RunJob): string {
  return `${seed} ${fault}`;
}

/** Undefined if the exchange has no limit. */
function orderTokensPerMinute({ config: { rateLimits } }: RehearsalMarket): number | undefined {
  const { order, intervalMs } = rateLimits;
  return order === 0 ? undefined : (order * MINUTE_MS) / intervalMs;
}

/** @throws ConfigError for a bot that quotes nothing */
function requireQuotes({ markets }: Pick<BotConfig, "markets">): void {
  if (Object.values(markets).some(({ strategy }) => strategy !== undefined)) return;
  throw new ConfigError("has no market with a strategy", {
    field: "markets",
    expected: "at least one market that the bot quotes",
  });
}

/** @throws ConfigError for sizes and limits that are off the exchange's grid */
function checkSizes(bot: BotConfig, { config }: RehearsalMarket): void {
  const runtime = { clock: new VirtualClock(0), random: seededRandom("rules") };
  const exchange = new EmbeddedExchange(config, runtime);
  exchange.start();
  const rules = rulesOf(exchange, Object.keys(bot.markets));
  exchange.stop();
  checkOnGrid(bot, rules);
}
