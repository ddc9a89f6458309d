import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { isStrategyFile, isStrategyPackage } from "../../bot/config/strategy-name.js";
import { loadStrategy } from "../../bot/strategy/load-strategy.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import { builtInStrategies } from "../../strategies/built-in.js";
import { BOT_TEMPLATES, type BotTemplate, findTemplate } from "./bot-templates.js";
import type { Choice, Chooser } from "./chooser.js";
import type { NamedStrategy } from "./propose-params.js";
import { RISK_APPETITES, type RiskName } from "./risk-appetites.js";

/** The chosen kind of bot. */
export interface ChosenBot {
  readonly template: BotTemplate;
  /** Absent for a bot that quotes nothing. */
  readonly strategy: NamedStrategy | undefined;
}

const DEFAULT_STRATEGY = "ladder";
/** Answer to the question for a strategy that chooses the template `liquidator`. */
const LIQUIDATOR = "liquidator";

/**
 * Chooses the template and its strategy.
 * @param file path of the bot's file, to which a strategy's path becomes relative
 */
export async function chooseBot(
  chooser: Chooser,
  file: string,
  options: { readonly template?: string; readonly strategy?: string },
): Promise<Choice<ChosenBot>> {
  const template = options.template === undefined ? undefined : findTemplate(options.template);
  if (template !== undefined) checkFits(template, options.template ?? "", options.strategy);
  const fixed =
    template === undefined ? undefined : template.makesMarkets ? template.strategy : LIQUIDATOR;
  const { value, text, source } = await chooser.choose<ChosenBot>({
    question: `Strategy: ${Object.keys(builtInStrategies).join(", ")}, the path of your own, or ${LIQUIDATOR} to quote nothing`,
    given: options.strategy ?? fixed,
    fallback: DEFAULT_STRATEGY,
    parse: async (name) => {
      if (name === LIQUIDATOR && options.strategy === undefined)
        return { template: findTemplate(LIQUIDATOR), strategy: undefined };
      return {
        template: template ?? (BOT_TEMPLATES.maker as BotTemplate),
        strategy: await openStrategy(name, file),
      };
    },
  });
  return {
    value,
    text: value.strategy?.name ?? text,
    source: fixed === undefined ? source : "option",
  };
}

function checkFits(template: BotTemplate, name: string, strategy: string | undefined): void {
  if (strategy === undefined || strategy === template.strategy) return;
  if (template.makesMarkets && template.strategy === undefined) return;
  throw new ConfigError(
    template.makesMarkets
      ? `does not go with --template ${name}, which quotes by ${template.strategy}`
      : `does not go with --template ${name}, which quotes nothing`,
    {
      field: "--strategy",
      value: strategy,
      expected: "--template maker, maker-and-liquidator or none",
    },
  );
}

async function openStrategy(name: string, file: string): Promise<NamedStrategy> {
  const field = "--strategy";
  if (Object.hasOwn(builtInStrategies, name))
    return { name, strategy: (await loadStrategy(name, dirname(file), field)).strategy };
  if (isStrategyPackage(name))
    return { name, strategy: (await loadStrategy(name, dirname(resolve(file)), field)).strategy };
  if (!isStrategyFile(name)) {
    const names = Object.keys(builtInStrategies);
    const near = findNearestName(name, names);
    throw new ConfigError(
      `no such strategy${near === undefined ? "" : `, did you mean ${near}?`}`,
      {
        field,
        value: name,
        expected: `one of ${names.join(", ")}, a path such as ./mine.ts, or npm:PACKAGE`,
      },
    );
  }
  // As the shell completes it: relative to the working directory.
  const { strategy } = await loadStrategy(resolve(name), dirname(file), field);
  return { name: pathFrom(dirname(resolve(file)), name), strategy };
}

function pathFrom(folder: string, path: string): string {
  if (isAbsolute(path)) return path;
  const seen = relative(folder, resolve(path)).split(sep).join("/");
  return seen.startsWith("../") ? seen : `./${seen}`;
}

/** Chooses the risk appetite. */
export function chooseRisk(chooser: Chooser, given: string | undefined): Promise<Choice<RiskName>> {
  return chooser.choose({
    question: `Risk appetite: ${RISK_NAMES.join(", ")}`,
    given,
    fallback: "balanced",
    parse: findRisk,
  });
}

const RISK_NAMES = Object.keys(RISK_APPETITES) as RiskName[];

/** @throws ConfigError for an unknown name. */
export function findRisk(text: string): RiskName {
  const found = RISK_NAMES.find((name) => name === text);
  if (found !== undefined) return found;
  const near = findNearestName(text, RISK_NAMES);
  throw new ConfigError(
    `no such risk appetite${near === undefined ? "" : `, did you mean ${near}?`}`,
    { field: "--risk", value: text, expected: `one of ${RISK_NAMES.join(", ")}` },
  );
}
