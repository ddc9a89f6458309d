import { loadBotConfig } from "../../../bot/config/config.js";
import { paperModels } from "../../../bot/config/fields/paper-fields.js";
import { findRunningBotOfFile } from "../../../bot/control/control-client.js";
import { resumeCommand } from "../../../bot/notices/resume-command.js";
import { WorkRecord } from "../../../bot/work/work-record.js";
import type { WorkSummary } from "../../../bot/work/work-summary.js";
import { ConfigError, RunError } from "../../../core/errors.js";
import { shellWord } from "../../../core/files/shell-word.js";
import type { Ms } from "../../../core/units.js";
import type { HaltReason } from "../../../risk/halt.js";
import type { CliContext } from "../../cli-context.js";
import { accountOfFile } from "../../control/account-of-file.js";
import { Interrupted, ReportedFailure } from "../../process/exit.js";
import { reportRunEnd } from "../../session/report-run-end.js";
import { runSession } from "../../session/run-session.js";
import { continueCommand, formatWork, formatWorkLeft } from "./format-work.js";
import {
  type WorkCommandOptions,
  type WorkParameters,
  workedConfig,
  workedMarket,
} from "./work-options.js";

/** How long a work waits beyond its time for its first view of the market. */
const FIRST_VIEW_WITHIN_MS: Ms = 30_000;

/**
 * Works a position of a live account.
 * @throws ConfigError, RunError; ReportedFailure if the target was not reached; Interrupted after a
 * signal
 */
export async function workLive(
  context: CliContext,
  file: string,
  options: WorkCommandOptions & { readonly params: WorkParameters },
): Promise<void> {
  const { params, json, dryRun = false } = options;
  const { env, runtime } = context;
  const loaded = loadBotConfig(file, env);
  const marketId = workedMarket(loaded.markets, options.market, params);
  const forMs = params.withinMs ?? remainingMs(params.byMs, options.by, runtime.clock.nowMs());
  await refuseRunningBot(context, file);
  const config = workedConfig(
    dryRun ? { ...loaded, exchange: { ...loaded.exchange, placement: "local" } } : loaded,
    marketId,
    params,
  );
  const record = new WorkRecord({ marketId, targetBase: params.targetBase });
  let signal: string | undefined;
  void context.interrupted().then((by) => {
    signal = by;
  });
  let reason = "the market did not open";
  let work: WorkSummary | undefined;
  let lifting: string | undefined;
  const summary = await runSession(context, {
    config,
    forMs: forMs + FIRST_VIEW_WITHIN_MS,
    dryRun,
    journalPath: options.journal,
    recordFolder: options.record,
    paper: dryRun ? paperModels(config) : undefined,
    screen: options.screen && json !== true && !dryRun,
    guardCommand: `marketwright guard ${shellWord(file)}`,
    notifyCommand: `marketwright notify ${shellWord(file)}`,
    cancelCommand: `marketwright cancel-all ${shellWord(file)}`,
    onBotEvent: (event, bot) => record.onBotEvent(event, bot),
    endReason: (bot) => {
      const ended = record.endReason(bot);
      if (ended !== undefined) reason = ended;
      return ended;
    },
    onStopped: (bot) => {
      work = record.summary(bot, signal ?? reason);
      // A dry run leaves no halt.
      if (!dryRun && outlivesProcess(bot.tradingGuards.haltsFor(marketId)))
        lifting = `npx ${resumeCommand(bot, undefined)}`;
    },
  });
  const command = continueCommand(file, marketId, options, work);
  const isReached = work?.isReached === true;
  const goOn = isReached ? undefined : command;
  const resume = isReached ? undefined : lifting;
  const left = formatWorkLeft(work, marketId, command, resume);
  const reportLeft = (): void =>
    void context.stderr.write(`marketwright: ${work?.reason ?? reason}: ${left}\n`);
  if (json !== true && work !== undefined) context.stdout.write(formatWork(work, goOn, resume));
  const ended =
    work === undefined ? {} : { work: { ...work, resume: resume ?? null, goOn: goOn ?? null } };
  try {
    reportRunEnd(context, { ...summary, ...ended }, { file, dryRun, json });
  } catch (error) {
    // With orders or a position in doubt, a trader needs to know what is left all the more.
    if (!isReached) reportLeft();
    throw error;
  }
  if (isReached) return;
  if (signal !== undefined) throw new Interrupted(signal, left);
  reportLeft();
  throw new ReportedFailure();
}

/** Lasting halts that the next run checks anew. */
const CHECKED_ANEW: ReadonlySet<string> = new Set([
  "strategy-error",
  "revived-orders",
  "domain-mismatch",
]);

/** True if the next run would be halted from its start. */
function outlivesProcess(halts: readonly HaltReason[]): boolean {
  return halts.some(({ resumesByItself, name }) => !resumesByItself && !CHECKED_ANEW.has(name));
}

/** @throws ConfigError for a time that has passed */
function remainingMs(byMs: Ms | undefined, written: string, nowMs: Ms): Ms {
  const leftMs = (byMs ?? 0) - nowMs;
  if (leftMs > 0) return leftMs;
  throw new ConfigError("has passed", {
    field: "--by",
    value: written,
    expected: "a time to come, or a duration such as 10m",
  });
}

/**
 * One process trades an account, so a running bot has to stop first.
 * @throws RunError naming what to do
 */
async function refuseRunningBot({ env }: CliContext, file: string): Promise<void> {
  const bot = await findRunningBotOfFile(file, {
    file,
    env,
    accountFor: (named) => accountOfFile(named, env),
  });
  if (bot === undefined) return;
  throw new RunError("a bot runs from this file, and one process at a time trades an account", {
    field: file,
    value: `process ${bot.pid}`,
    expected: "stop it (Ctrl-C, or SIGTERM), work the position, then run it again",
  });
}
