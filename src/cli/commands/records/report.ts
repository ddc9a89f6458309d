import { basename, join } from "node:path";
import { makeLiveReport } from "../../../backtest/live/live-report.js";
import type { LiveReport } from "../../../backtest/live/live-report-schema.js";
import { type LiveRun, openLiveRun } from "../../../backtest/live/live-run.js";
import { writeLiveReport } from "../../../backtest/live/write-live-report.js";
import { loadBotOrders } from "../../../bot/config/config.js";
import { stateDirFor } from "../../../bot/state/state-dir.js";
import { ConfigError } from "../../../core/errors.js";
import type { Ms } from "../../../core/units.js";
import { parseInstant, toDay } from "../../../history/day.js";
import { DAYS_FOLDER } from "../../../ledger/days/day-folder.js";
import { summariseDay } from "../../../ledger/days/day-summary.js";
import { formatDaySummary } from "../../../ledger/days/day-summary-text.js";
import type { CliContext } from "../../cli-context.js";
import { accountOfFile } from "../../control/account-of-file.js";
import { jsonText } from "../../process/output.js";

/** Options of `marketwright report`. */
export interface ReportCommandOptions {
  readonly live?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly out?: string;
  readonly replace?: boolean;
  readonly daily?: string | true;
  readonly json?: boolean;
}

/**
 * Reports on a live bot from the files of its state, or summarises one of its days.
 * @throws ConfigError for options that do not go together, RunError if there is no record
 */
export async function reportCommand(
  context: CliContext,
  file: string,
  options: ReportCommandOptions,
): Promise<void> {
  const { live = false, daily, json = false } = options;
  if (live === (daily !== undefined))
    throw new ConfigError(live ? "cannot be given together" : "is missing", {
      field: "--live, --daily",
      expected: "--live for a span, or --daily for the summary of a day",
    });
  const { env, runtime } = context;
  const config = loadBotOrders(file, env);
  const stateDir = stateDirFor(config, accountOfFile(file, env));
  const nowMs = runtime.clock.nowMs();
  if (daily !== undefined) {
    refuseSpan(options);
    const summary = await summariseDay(
      join(stateDir, DAYS_FOLDER),
      daily === true ? toDay(nowMs) : daily,
    );
    context.stdout.write(json ? jsonText(summary, 2) : formatDaySummary(summary));
    return;
  }
  const run = await openLiveRun(stateDir, askedSpan(options), nowMs);
  const report = await made(run, basename(file), options);
  context.stdout.write(json ? jsonText(report, 2) : reportText(report, options.out));
}

async function made(
  run: LiveRun,
  name: string,
  { out, replace = false }: ReportCommandOptions,
): Promise<LiveReport> {
  if (out !== undefined) return writeLiveReport(run, name, { directory: out, replace });
  return (await makeLiveReport(run, name)).report;
}

function askedSpan({ from, to }: ReportCommandOptions): {
  readonly fromMs: Ms | undefined;
  readonly toMs: Ms | undefined;
} {
  const at = (text: string | undefined, field: string): Ms | undefined =>
    text === undefined ? undefined : parseInstant(text, field);
  const [fromMs, toMs] = [at(from, "--from"), at(to, "--to")];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw new ConfigError("is not after --from", {
      field: "--to",
      value: to,
      expected: "a time after --from",
    });
  return { fromMs, toMs };
}

function refuseSpan({ from, to, out, replace }: ReportCommandOptions): void {
  const given = Object.entries({ "--from": from, "--to": to, "--out": out, "--replace": replace })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length > 0)
    throw new ConfigError("is of --live", {
      field: given.join(", "),
      expected: "--daily with --json alone: the summary of one day is printed",
    });
}

function reportText(report: LiveReport, out: string | undefined): string {
  const { span, asset, profit, fills, orders, drawdown, live, gaps } = report;
  const parts = Object.entries(profit).filter(([name]) => name !== "total");
  const down = ({ cause, seconds }: LiveReport["live"]["uptime"][number]["down"][number]): string =>
    `${cause} ${seconds.toFixed(1)} s`;
  const lines = [
    `${report.name}: ${span.from} to ${span.to}, live`,
    `profit ${profit.total} ${asset}: ${parts.map(([name, amount]) => `${name} ${amount}`).join(", ")}`,
    `${fills.all.fills} fills of ${orders.placed} orders, for ${fills.all.turnover} ${asset}, fees paid ${fills.all.fees}, largest fall ${drawdown.max}`,
    ...(Number(live.unattended) === 0
      ? []
      : [`while no bot ran the equity changed by ${live.unattended} ${asset}: in no part`]),
    ...live.uptime.map(
      ({ marketId, both, down: causes }) =>
        `${marketId}: both sides ${(100 * both).toFixed(1)} % of the time${causes.length === 0 ? "" : `; not: ${causes.slice(0, MOST_CAUSES).map(down).join(", ")}`}`,
    ),
    ...(live.halts.count === 0 ? [] : [`halts ${live.halts.count}`]),
    ...gaps.slice(0, MOST_GAPS).map((gap) => `gap ${gap}`),
    ...(gaps.length > MOST_GAPS ? [`and ${gaps.length - MOST_GAPS} more gaps`] : []),
    ...live.absent.map((text) => `not in this report: ${text}`),
    ...(out === undefined
      ? []
      : [
          `report  ${join(out, "report.html")}`,
          `figures ${join(out, "report.json")}`,
          `fills   ${join(out, "fills.csv")}`,
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

const MOST_CAUSES = 5;
const MOST_GAPS = 10;
