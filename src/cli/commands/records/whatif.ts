import { disableParallelGc } from "../../../backtest/run/disable-parallel-gc.js";
import { readSession } from "../../../backtest/session/session-file.js";
import { answerWhatIf, type WhatIfAnswer } from "../../../backtest/whatif/answer-whatif.js";
import { changeSession } from "../../../backtest/whatif/change-session.js";
import {
  CHANGED_PARTS,
  type ChangeInterval,
  MEAN_OF,
} from "../../../backtest/whatif/estimate-change.js";
import { writeFitFile } from "../../../backtest/whatif/fit-file.js";
import { parseConfigPath } from "../../../bot/config/config-path.js";
import { parseChange } from "../../../bot/configure/parse-change.js";
import { bindStrategies, loadStrategies } from "../../../bot/run/market-strategies.js";
import { loadOptional } from "../../../core/optional-part.js";
import { openLog } from "../../../monitoring/log.js";
import { toFixedPoint } from "../../../perpetual/fixed-point.js";
import type { CliContext } from "../../cli-context.js";
import { ReportedFailure } from "../../process/exit.js";
import { jsonText, table } from "../../process/output.js";

/** Options of `marketwright whatif`. */
export interface WhatIfCommandOptions {
  /** `path=value`, as they are typed. */
  readonly set: readonly string[];
  readonly level: string;
  readonly fitOut?: string;
  readonly json?: boolean;
}

/** As a comparison without a backtest has them. */
const LIQUIDATION = { priceOff: toFixedPoint(0.01), insuranceFeeRate: toFixedPoint(0.01) };

/**
 * Estimates how other values would have changed the profit of a recorded session.
 * @throws ReportedFailure if the recording cannot answer; ConfigError for a wrong change or session
 */
export async function whatIfCommand(
  context: CliContext,
  folder: string,
  { set, level, fitOut, json = false }: WhatIfCommandOptions,
): Promise<void> {
  const changes = set.map((text) => {
    const { path, value } = parseChange(text, "--set");
    return { path: parseConfigPath(path), value };
  });
  await loadOptional("@duckdb/node-api");
  disableParallelGc();
  const session = readSession(folder);
  const log = openLog({ level: session.config.logLevel, clock: context.runtime.clock });
  const strategies = bindStrategies(session.config, await loadStrategies(session.config, log));
  const answer = await answerWhatIf({
    folder,
    session,
    strategies,
    changed: changeSession(session, strategies, changes),
    liquidation: LIQUIDATION,
    seed: "1",
    level,
  });
  if (fitOut !== undefined) writeFitFile(fitOut, answer.fit);
  const isRefused = answer.doubts.some(({ weight }) => weight === "refuse");
  context.stdout.write(
    json
      ? jsonText(
          { level: Number(level), ...answer, estimate: isRefused ? null : answer.estimate },
          2,
        )
      : answerText(answer, level, isRefused),
  );
  if (isRefused) throw new ReportedFailure();
}

/** The names of the parts for people. */
const PART_NAMES = {
  spread: "spread",
  adverseSelection: "adverse selection",
  fees: "fees",
} as const;

const PROFIT_PARTS = ["spread", "inventory", "fees", "funding", "basis", "total"] as const;

function answerText(answer: WhatIfAnswer, level: string, isRefused: boolean): string {
  const { changes, fit, fills, profit, estimate, doubts } = answer;
  const { mode, from, to } = fit.session;
  const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;
  const lines = [
    `${mode} session from ${from} to ${to}`,
    ...changes.map(({ path, before, after }) => `  ${path}  ${before ?? "-"} -> ${after ?? "-"}`),
    ...Object.entries(fit.markets).map(
      ([marketId, one]) =>
        `fit of ${marketId}: queue ${one.queue}, ${one.orderLatencyMs} ms to the exchange, ${one.responseLatencyMs} ms back; fills alike ${percent(one.alike)} of ${one.fills}; ${one.plausible} of ${one.tried} models kept`,
    ),
    ...doubts.map(
      ({ weight, why, expected }) =>
        `${weight === "refuse" ? "CANNOT ANSWER" : "warning"}: ${why}; expected ${expected}`,
    ),
  ];
  const text = `${lines.join("\n")}\n`;
  if (isRefused || estimate === undefined) return text;
  const rows = [
    ["", "session", "old again", "new"],
    ["fills", String(fills.live), String(fills.before), String(fills.after)],
    ...PROFIT_PARTS.map((part) => [
      part,
      ...[profit.live, profit.before, profit.after].map((of) => amount(Number(of[part] ?? 0))),
    ]),
  ];
  const changed = (name: string, { value, low, high }: ChangeInterval): string[] => [
    name,
    signed(value),
    `${signed(low)} to ${signed(high)}`,
  ];
  const changedRows = [
    [`change, mean of ${MEAN_OF}`, "estimate", `${100 * Number(level)} % interval`],
    ...CHANGED_PARTS.map((part) => changed(PART_NAMES[part], estimate.parts[part])),
    changed("total", estimate.total),
  ];
  const { sample, fit: ofFit, models, luck } = estimate.errors;
  return `${text}\n${table(rows)}\n${table(changedRows)}\nstandard errors: sample ${amount(sample)}, fit ${amount(ofFit)}, models ${amount(models)}, luck ${amount(luck)}\n`;
}

function amount(value: number): string {
  return value.toFixed(4);
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${amount(value)}`;
}
