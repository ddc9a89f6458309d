import { dirname, join } from "node:path";
import { type BotConfig, loadBotConfig } from "../../../bot/config/config.js";
import { readPathKind } from "../../../core/files/path-kind.js";
import { findWeaknesses } from "../../../rehearsal/findings/find-weaknesses.js";
import type { RehearsalExchange } from "../../../rehearsal/market/rehearsal-market.js";
import type { Rehearsal } from "../../../rehearsal/rehearsal-result.js";
import { rehearse } from "../../../rehearsal/rehearse.js";
import {
  createRehearsalReport,
  type RehearsalReport,
} from "../../../rehearsal/summary/rehearsal-report.js";
import type { CliContext } from "../../cli-context.js";
import { loadExchangeConfig } from "../../load-exchange-config.js";
import { Interrupted, ReportedFailure } from "../../process/exit.js";
import { jsonText } from "../../process/output.js";
import { formatRehearsal } from "./format-rehearsal.js";
import { formatTimeline } from "./format-timeline.js";
import { RehearsalFolder } from "./rehearsal-folder.js";
import { type RehearseCommandOptions, readRehearsalPlan } from "./rehearse-options.js";

export type { RehearseCommandOptions };

/**
 * Rehearses a bot under faults, and prints what each costs. @throws ReportedFailure for any
 * weakness found; Interrupted after the runs that were complete have been printed
 */
export async function rehearseCommand(
  context: CliContext,
  file: string,
  options: RehearseCommandOptions,
): Promise<void> {
  const plan = readRehearsalPlan(options);
  // The rehearsal uses no key of the user's.
  const bot = loadBotConfig(file, context.env, { key: "unused" });
  const exchange = findExchange(bot, options.exchange);
  // A wrong file leaves no folder.
  const folder =
    options.out === undefined
      ? undefined
      : new RehearsalFolder(options.out, options.replace ?? false);
  const abort = new AbortController();
  let interruptedBy: string | undefined;
  void context.interrupted().then((signal) => {
    interruptedBy = signal;
    abort.abort();
  });
  const isSingle = plan.seeds.length === 1 && plan.faults.length === 1;
  let [done, planned] = [0, 0];
  const rehearsal = await rehearse({
    bot,
    botName: file,
    exchange,
    ...plan,
    runsGuard: options.guard,
    withTimeline: isSingle,
    onRun: (_run, ended, total) => {
      [done, planned] = [ended, total];
      showProgress(context, `${ended} of ${total} runs`);
    },
    signal: abort.signal,
  });
  showProgress(context, "");
  const report = createRehearsalReport(rehearsal, findWeaknesses(bot, rehearsal), options.exchange);
  context.stdout.write(
    options.json === true ? jsonText(report, 2) : textOf(report, rehearsal, isSingle),
  );
  for (const path of folder?.write(report) ?? []) context.stderr.write(`wrote ${path}\n`);
  if (interruptedBy !== undefined && !rehearsal.isComplete)
    throw new Interrupted(interruptedBy, `${done} of ${planned} runs were complete`);
  if (report.findings.length > 0) throw new ReportedFailure();
}

/** The exchange of the option, or the one beside the bot's file; undefined without either. */
function findExchange(bot: BotConfig, given: string | undefined): RehearsalExchange | undefined {
  const beside = join(dirname(bot.path), "exchange.yaml");
  const path = given ?? (readPathKind(beside) === "file" ? beside : undefined);
  return path === undefined
    ? undefined
    : { config: loadExchangeConfig(path), baseFolder: dirname(path) };
}

function textOf(report: RehearsalReport, { runs }: Rehearsal, isSingle: boolean): string {
  const run = isSingle ? runs.at(-1) : undefined;
  return `${run === undefined ? "" : formatTimeline(run)}${formatRehearsal(report)}`;
}

function showProgress({ stderr }: CliContext, text: string): void {
  if (stderr.isTTY === true) stderr.write(`\r\x1b[K${text}`);
}
