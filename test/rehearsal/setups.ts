import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBotConfig } from "#bot/config.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { findWeaknesses } from "#rehearsal/find-weaknesses.js";
import type { RehearsalFindingId } from "#rehearsal/rehearsal-finding.js";
import { createRehearsalReport, type RehearsalReport } from "#rehearsal/rehearsal-report.js";
import { type RehearseOptions, rehearse } from "#rehearsal/rehearse.js";
import type { RehearsedFault } from "#rehearsal/rehearsed-fault.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FIXTURES = "test/rehearsal/setups";

/** A bot's file, and how it is rehearsed. Paths are relative to the project. */
export interface Setup {
  readonly file: string;
  readonly exchange: string;
  readonly runsGuard: boolean;
}

/** A setup with one weakness, and the fault that has to show it. */
export interface WeakSetup extends Setup {
  readonly weakness: RehearsalFindingId;
  readonly fault: RehearsedFault;
}

const weak = (
  name: string,
  weakness: RehearsalFindingId,
  fault: RehearsedFault,
  { exchange = "exchange", runsGuard = true } = {},
): WeakSetup => ({
  file: `${FIXTURES}/${name}.yaml`,
  exchange: `${FIXTURES}/${exchange}.yaml`,
  runsGuard,
  weakness,
  fault,
});

/** The bad setups, each with the weakness that it has to be blamed for. */
export const WEAK_SETUPS: readonly WeakSetup[] = [
  weak("no-loss-limit", "no-loss-limit", "price-trend"),
  weak("no-tolerance", "no-tolerance", "none"),
  weak("spread-below-fees", "spread-below-fees", "none", { exchange: "paid-exchange" }),
  weak("inventory-ignored", "inventory-ignored", "price-trend"),
  weak("stale-reference-trusted", "stale-reference-trusted", "reference-silent"),
  weak("sound", "guard-absent", "bot-killed", { runsGuard: false }),
  weak("never-expires", "orders-never-expire", "bot-killed", { runsGuard: false }),
  weak("rung-never-acts", "rung-never-acts", "price-trend"),
];

/** Setups that must not be blamed for any weakness. */
export const SOUND_SETUPS: readonly Setup[] = [
  { file: `${FIXTURES}/sound.yaml`, exchange: `${FIXTURES}/exchange.yaml`, runsGuard: true },
  { file: "config/minimal.yaml", exchange: "config/exchange.yaml", runsGuard: true },
  { file: "config/bot.yaml", exchange: "config/exchange.yaml", runsGuard: true },
  { file: "config/hedged.yaml", exchange: "config/hedged-exchange.yaml", runsGuard: true },
];

/** Rehearses a setup. */
export async function rehearseSetup(
  { file, exchange, runsGuard }: Setup,
  options: Pick<RehearseOptions, "seeds" | "faults" | "marketMs" | "threads"> &
    Pick<Partial<RehearseOptions>, "onRun">,
): Promise<RehearsalReport> {
  const bot = loadBotConfig(join(ROOT, file), {}, { key: "unused" });
  const path = join(ROOT, exchange);
  const rehearsal = await rehearse({
    bot,
    botName: file,
    exchange: { config: loadExchangeConfig(path), baseFolder: dirname(path) },
    runsGuard,
    ...options,
  });
  return createRehearsalReport(rehearsal, findWeaknesses(bot, rehearsal), exchange);
}
