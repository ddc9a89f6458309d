import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProfitParts } from "#account/account-profit.js";
import { replaceFile } from "#core/atomic-file.js";
import { continueMarket } from "./continued-market.js";
import type { WhatIfCase } from "./draw-case.js";

/** Profit of the changed run less that of the recorded parameters, quote asset, by seed. */
export interface MeasuredTruth {
  /** Names of the parts of profit, with `total`. */
  readonly differences: readonly Readonly<Record<string, number>>[];
}

/** The file of a case's folder that is written once its truth is known. */
export const TRUTH_FILE = "truth.json";

/**
 * Records the session of a case, and continues its opening under other seeds with both parameters.
 * What a folder already has is not computed again.
 * @param folder of this case
 */
export async function measureTruth(
  { opening, config, changed }: WhatIfCase,
  seeds: number,
  folder: string,
): Promise<MeasuredTruth> {
  const path = join(folder, TRUTH_FILE);
  if (existsSync(path)) {
    const known = JSON.parse(readFileSync(path, "utf8")) as MeasuredTruth;
    if (known.differences.length >= seeds)
      return { differences: known.differences.slice(0, seeds) };
  }
  const session = join(folder, "session");
  if (!existsSync(join(session, "session.json"))) {
    rmSync(session, { recursive: true, force: true });
    await continueMarket(opening, config, "recorded", session);
  }
  const differences: Record<string, number>[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const before = await continueMarket(opening, config, `seed ${seed}`);
    const after = await continueMarket(opening, changed, `seed ${seed}`);
    differences.push(differenceOf(before.profit, after.profit));
  }
  replaceFile(path, `${JSON.stringify({ differences })}\n`);
  return { differences };
}

function differenceOf(before: ProfitParts, after: ProfitParts): Record<string, number> {
  const { decimals } = before;
  const names = Object.keys(before).filter((name) => name !== "decimals") as "total"[];
  return Object.fromEntries(
    names.map((name) => [name, Number(after[name] - before[name]) / 10 ** decimals]),
  );
}
