import type { BotConfig } from "../../bot/config/config.js";
import type { Rehearsal } from "../rehearsal-result.js";
import { RehearsalRuns } from "../summary/rehearsal-runs.js";
import { findBotFailed } from "./bot-failed.js";
import { findGuardAbsent } from "./guard-absent.js";
import { findInventoryIgnored } from "./inventory-ignored.js";
import { findNeverQuotes } from "./never-quotes.js";
import { findNoLossLimit } from "./no-loss-limit.js";
import { findNoTolerance } from "./no-tolerance.js";
import { findOrdersLeft } from "./orders-left.js";
import { findOrdersNeverExpire } from "./orders-never-expire.js";
import type { RehearsalFinding, RehearsalRule } from "./rehearsal-finding.js";
import { findRungNeverActs } from "./rung-never-acts.js";
import { findSpreadBelowFees } from "./spread-below-fees.js";
import { findStaleReferenceTrusted } from "./stale-reference-trusted.js";

const RULES: readonly RehearsalRule[] = [
  findBotFailed,
  findNeverQuotes,
  findOrdersLeft,
  findNoLossLimit,
  findRungNeverActs,
  findOrdersNeverExpire,
  findGuardAbsent,
  findStaleReferenceTrusted,
  findInventoryIgnored,
  findSpreadBelowFees,
  findNoTolerance,
];

/** The weaknesses of a bot's file that its rehearsal shows, the gravest kind first. */
export function findWeaknesses(
  config: BotConfig,
  rehearsal: Rehearsal,
): readonly RehearsalFinding[] {
  const rehearsed = { config, rehearsal, runs: new RehearsalRuns(rehearsal) };
  return RULES.flatMap((rule) => rule(rehearsed) ?? []);
}
