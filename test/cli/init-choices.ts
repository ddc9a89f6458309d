import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { parse } from "yaml";
import { RISK_APPETITES } from "#cli/risk-appetites.js";
import { builtInStrategies } from "#strategies/built-in.js";
import { captureCli } from "./captured-cli.js";

/** The markets of the embedded exchange. */
export const MARKETS = ["btcusdc", "ethusdc"];
const STRATEGIES = Object.keys(builtInStrategies);
const RISKS = Object.keys(RISK_APPETITES);

/** The choices of a user of `init`. */
export type InitChoices = readonly [strategy: string, market: string, risk: string];

export const ALL_CHOICES: readonly InitChoices[] = STRATEGIES.flatMap((strategy) =>
  MARKETS.flatMap((market) => RISKS.map((risk) => [strategy, market, risk] as const)),
);

/** Each strategy in each market, with two of the three appetites. */
export const SOME_CHOICES: readonly InitChoices[] = STRATEGIES.flatMap((strategy, row) =>
  MARKETS.map((market, column) => {
    const risk = RISKS[(row + column) % RISKS.length] ?? "";
    return [strategy, market, risk] as const;
  }),
);

export const schema = JSON.parse(
  readFileSync(fileURLToPath(new URL("../../config/schema.json", import.meta.url)), "utf8"),
);
const validate = new Ajv2020({ allowUnionTypes: true, strictTypes: false }).compile(schema);

/** Writes a bot's file by `init`; `check`, connected to the exchange, and the schema accept it. */
export async function expectAcceptedFile(
  file: string,
  rest: string,
  [strategy, market, risk]: InitChoices,
): Promise<void> {
  const options = ["--strategy", strategy, "--market", market, "--risk", risk];
  const written = await captureCli(["init", file, "--exchange", rest, ...options], {});
  expect(written).toMatchObject({ code: 0, err: "" });
  const env = { MARKETWRIGHT_KEY: `0x${"2e".repeat(32)}` };
  const checked = await captureCli(["check", file, "--connect", "--within", "60s"], env);
  expect(checked).toMatchObject({ code: 0, err: "" });
  expect(checked.out).toMatch(/0 errors, \d+ warnings?\n$/);
  const bot = parse(readFileSync(file, "utf8"));
  expect(validate(bot), JSON.stringify(validate.errors)).toBe(true);
  expect(bot.markets[market].strategy).toBe(strategy);
}
