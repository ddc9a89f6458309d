import type { Ms } from "../../../core/units.js";
import { minutesText } from "../../../rehearsal/summary/minutes-text.js";
import { quoteAmount } from "../../../rehearsal/summary/quote-amount.js";
import { rehearsalCommand } from "../../../rehearsal/summary/rehearsal-command.js";
import type { RehearsalReport } from "../../../rehearsal/summary/rehearsal-report.js";
import type { SeededValue } from "../../../rehearsal/summary/seeded-value.js";
import {
  type DeathSummary,
  type FaultSummary,
  hasReaction,
} from "../../../rehearsal/summary/summarise-faults.js";
import type { RungSummary } from "../../../rehearsal/summary/summarise-rungs.js";
import { alignedTable, type TextColumn } from "../../control/aligned-table.js";

/** Formats a rehearsal for a terminal: what each fault cost, how the bot reacted, the findings. */
export function formatRehearsal(report: RehearsalReport): string {
  return [
    headText(report),
    costTable(report),
    reactionTable(report),
    rungTable(report),
    leftOutText(report),
    findingsText(report),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function headText({ bot, seeds, marketMs, runsGuard, notes, isComplete, runs }: RehearsalReport) {
  const [first, last] = [seeds[0], seeds.at(-1)];
  const span = first === last ? `seed ${first}` : `seeds ${first} to ${last}`;
  const guard = runsGuard ? "with its guard" : "without a guard";
  return [
    `${bot}: ${span}, ${minutesText(marketMs)} each, ${guard}`,
    ...(isComplete ? [] : [`INTERRUPTED: only ${runs.length} runs were complete`]),
    ...notes,
    "",
  ].join("\n");
}

/** A value and the seed of its run, such as `12.40 #17`. */
function seeded<Value>(
  cell: SeededValue<Value> | undefined,
  text: (value: Value) => string,
): string {
  return cell === undefined ? "-" : `${text(cell.value)} #${cell.seed}`;
}

/** The worst time after a death, such as `3.8 #1`, or `never (2) #1`. */
function afterDeath({ never, longestMs }: DeathSummary): string {
  return never === undefined
    ? seeded(longestMs, seconds)
    : seeded(never, (deaths) => `never (${deaths})`);
}

const numeric = (heading: string, cells: readonly string[]): TextColumn => ({
  heading,
  cells,
  isNumeric: true,
});

/** Costs by fault. A number after # is the seed of the run that shows the value. */
function costTable({ faults, decimals }: RehearsalReport): string {
  const money = (scaled: bigint): string => quoteAmount(scaled, decimals);
  const of = (cell: (row: FaultSummary) => string): string[] => faults.map(cell);
  return alignedTable([
    { heading: "fault", cells: of(({ fault }) => fault) },
    { heading: "struck", cells: of(({ struckRuns, runs }) => `${struckRuns}/${runs}`) },
    numeric(
      "worst loss",
      of(({ lossScaled }) => seeded(lossScaled?.largest, money)),
    ),
    numeric(
      "median loss",
      of(({ lossScaled }) => seeded(lossScaled?.median, money)),
    ),
    numeric(
      "unquoted s, worst",
      of(({ unquotedMs }) => seeded(unquotedMs?.largest, seconds)),
    ),
    numeric(
      "median",
      of(({ unquotedMs }) => seeded(unquotedMs?.median, seconds)),
    ),
    numeric(
      "orders",
      of(({ orders }) => seeded(orders?.median, String)),
    ),
    numeric(
      "ORDER tokens",
      of(({ orderTokens }) => seeded(orderTokens?.median, String)),
    ),
  ]);
}

/** Reactions by fault; faults without any are left out. */
function reactionTable({ faults, runsGuard }: RehearsalReport): string {
  const shown = faults.filter(hasReaction);
  const isHedged = faults.some(({ fault }) => fault.startsWith("hedge-"));
  const of = (cell: (row: FaultSummary) => string): string[] => shown.map(cell);
  return alignedTable([
    { heading: "fault", cells: of(({ fault }) => fault) },
    {
      heading: "guard acted after s, worst",
      cells: of(({ guardActed }) => (runsGuard ? afterDeath(guardActed) : "-")),
    },
    {
      heading: "orders gone after s, worst",
      cells: of(({ ordersGone }) => afterDeath(ordersGone)),
    },
    ...(isHedged
      ? [
          {
            heading: "unhedged s, worst",
            cells: of(({ unhedgedMs }) => seeded(unhedgedMs?.largest, seconds)),
          },
        ]
      : []),
    {
      heading: "halts (runs)",
      cells: of(({ halts, error }) =>
        [
          ...halts.map(({ name, runs, seed }) => `${name} (${runs}) #${seed}`),
          ...(error === undefined ? [] : [`ERROR #${error.seed}`]),
        ].join(", "),
      ),
    },
  ]);
}

/** Rungs of the loss ladder, over the runs of all faults. */
function rungTable({ rungs }: RehearsalReport): string {
  const of = (cell: (row: RungSummary) => string): string[] => rungs.map(cell);
  return alignedTable([
    { heading: "rung", cells: of(({ name, action }) => `${name}, ${action}`) },
    { heading: "reached", cells: of(({ reachedRuns }) => runsText(reachedRuns)) },
    { heading: "acted", cells: of(({ firedRuns }) => runsText(firedRuns)) },
    { heading: "worked", cells: of(({ workedRuns }) => runsText(workedRuns)) },
    {
      heading: "slowest",
      cells: of(({ slowest }) =>
        slowest === undefined
          ? "-"
          : `${seconds(slowest.afterMs)} s, ${slowest.fault} #${slowest.seed}`,
      ),
    },
    {
      heading: "did not work",
      cells: of(({ failed }) => (failed === undefined ? "-" : `${failed.fault} #${failed.seed}`)),
    },
  ]);
}

function leftOutText({ notRehearsed }: RehearsalReport): string {
  const byReason = new Map<string, string[]>();
  for (const { fault, reason } of notRehearsed)
    byReason.set(reason, [...(byReason.get(reason) ?? []), fault]);
  return [...byReason]
    .map(([reason, faults]) => `not rehearsed, since ${reason}: ${faults.join(", ")}\n`)
    .join("");
}

function findingsText(report: RehearsalReport): string {
  const { findings, decimals, faults } = report;
  const repeat = `A number after # is a seed. To repeat its run: ${exampleCommand(report, faults)}\n`;
  if (findings.length === 0) return `${repeat}no weakness found\n`;
  const texts = findings.map((finding, index) => {
    const { id, key, text, advice, lossScaled } = finding;
    const loss = lossScaled === undefined ? "" : `, ${quoteAmount(lossScaled, decimals)} quote`;
    return `${index + 1}. ${id} (${key}${loss})\n   ${text}\n   ${advice}\n   ${rehearsalCommand(report, finding)}\n`;
  });
  return `${repeat}\n${findings.length === 1 ? "1 weakness" : `${findings.length} weaknesses`}\n${texts.join("")}`;
}

/** The command of the worst run of the last fault in the table. */
function exampleCommand(report: RehearsalReport, faults: readonly FaultSummary[]): string {
  const shown = faults.findLast(({ lossScaled }) => lossScaled !== undefined);
  return rehearsalCommand(report, {
    fault: shown?.fault ?? "none",
    seed: shown?.lossScaled?.largest.seed ?? report.seeds[0] ?? 1,
  });
}

function seconds(ms: Ms): string {
  return (ms / 1000).toFixed(1);
}

function runsText(runs: number): string {
  return runs === 1 ? "1 run" : `${runs} runs`;
}
