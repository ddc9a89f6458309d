import { quoteAmount } from "#rehearsal/quote-amount.js";
import type { RehearsalReport } from "#rehearsal/rehearsal-report.js";
import type { SeededValue } from "#rehearsal/seeded-value.js";
import type { WeakSetup } from "../../test/rehearsal/setups.js";
import { table } from "../interface/markdown.js";

/** The cost of each fault: a value, and after # its seed. */
export function renderFaults({ faults, decimals }: RehearsalReport): string {
  const money = (scaled: bigint): string => quoteAmount(scaled, decimals);
  return table(
    ["fault", "worst loss", "median loss", "unquoted s, worst", "median", "orders", "halts (runs)"],
    faults.map(({ fault, lossScaled, unquotedMs, orders, halts }) => [
      `\`${fault}\``,
      seeded(lossScaled?.largest, money),
      seeded(lossScaled?.median, money),
      seeded(unquotedMs?.largest, seconds),
      seeded(unquotedMs?.median, seconds),
      seeded(orders?.median, String),
      halts.map(({ name, runs }) => `${name} (${runs})`).join(", "),
    ]),
  );
}

/** The finding of each weak setup. */
export function renderWeak(
  setups: readonly { readonly setup: WeakSetup; readonly report: RehearsalReport }[],
): string {
  return table(
    ["setup", "weakness", "found under", "in that run"],
    setups.map(({ setup, report }) => {
      const found = report.findings.find(({ id }) => id === setup.weakness);
      return [
        `\`${nameOf(setup.file)}\`${setup.runsGuard ? "" : ", `--no-guard`"}`,
        `\`${setup.weakness}\``,
        found === undefined ? "not found" : `\`${found.fault}\` #${found.seed}`,
        found?.text ?? "",
      ];
    }),
  );
}

/** False alarms in sound setups. */
export function renderSound(reports: readonly RehearsalReport[]): string {
  return table(
    ["setup", "runs", "false alarms"],
    reports.map(({ bot, runs, findings }) => [
      `\`${nameOf(bot)}\``,
      String(runs.length),
      findings.length === 0
        ? "0"
        : findings.map(({ id, fault }) => `\`${id}\` under \`${fault}\``).join(", "),
    ]),
  );
}

function nameOf(file: string): string {
  return file.replace("test/rehearsal/setups/", "");
}

function seeded<Value>(
  cell: SeededValue<Value> | undefined,
  text: (value: Value) => string,
): string {
  return cell === undefined ? "" : `${text(cell.value)} #${cell.seed}`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
