import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { ConfigError } from "#core/errors.js";
import { findCaptureFiles } from "#simulator/capture-files.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_CAPTURES, captureFigures } from "./flow/capture-figures.js";
import {
  FIGURE_NAMES,
  type FigureName,
  type FlowFigures,
  medianFigures,
} from "./flow/flow-measure.js";
import { syntheticFigures } from "./flow/synthetic-figures.js";

/**
 * `npm run flow-report -- [MINUTES] [exchange.yaml]`: compares the synthetic markets with the
 * recorded ones; exits 1 if a figure is off by more than a factor of two.
 */
const [minutes = "60", file = fileURLToPath(new URL("../config/exchange.yaml", import.meta.url))] =
  process.argv.slice(2);
if (!(Number(minutes) >= 1 && Number(minutes) <= 10_000)) {
  throw new ConfigError("is no span to measure", {
    field: "MINUTES",
    value: minutes,
    expected: "minutes of virtual time, from 1 to 10000",
  });
}
const folder = recordedDataFolder();
const captures = BTC_CAPTURES.filter(({ tag }) =>
  existsSync(join(folder, "books", `${tag}.ndjson.gz`)),
);
const recorded: FlowFigures[] = [];
for (const capture of captures) {
  const figures = await captureFigures(findCaptureFiles(folder, capture.tag), capture);
  recorded.push(figures);
  print(capture.tag, figures);
}
const median = recorded.length === BTC_CAPTURES.length ? medianFigures(recorded) : undefined;
if (median === undefined)
  console.info(
    `of the recorded markets ${recorded.length} of ${BTC_CAPTURES.length} are in ${folder}: nothing is compared (MARKETWRIGHT_DATA)\n`,
  );

const config = loadExchangeConfig(file);
let isOff = false;
for (const [marketId, figures] of await syntheticFigures(config, Number(minutes))) {
  const isBitcoin = config.markets[marketId]?.baseAsset === "BTC";
  print(`${marketId}, synthetic, ${minutes} min`, figures, isBitcoin ? median : undefined);
  if (isBitcoin && median !== undefined)
    isOff ||= Object.keys(FIGURE_NAMES).some(
      (name) => !isNear(figures[name as FigureName], median[name as FigureName]),
    );
}
process.exitCode = isOff ? 1 : 0;

function isNear(value: number, wanted: number): boolean {
  return value / wanted >= 0.5 && value / wanted <= 2;
}

function print(title: string, figures: FlowFigures, beside?: Record<FigureName, number>): void {
  console.info(`${title} (${figures.seconds} s, ${figures.trades} trades)`);
  for (const [name, words] of Object.entries(FIGURE_NAMES) as [FigureName, string][]) {
    const value = figures[name];
    const factor =
      beside === undefined
        ? ""
        : `  x ${(value / beside[name]).toFixed(2)} of ${beside[name].toPrecision(3)}${isNear(value, beside[name]) ? "" : "  OFF"}`;
    console.info(`  ${words.padEnd(40)}${value.toPrecision(3).padStart(9)}${factor}`);
  }
  console.info(
    `  ${"(all ten levels of a side, base)".padEnd(40)}${figures.tenLevelsBase.toPrecision(3).padStart(9)}\n`,
  );
}
