import type { BotConfig } from "../bot/config/config.js";
import { usedSourceNames } from "../bot/market/used-reference.js";
import { ConfigError } from "../core/errors.js";
import type { ExchangeConfig } from "../simulator/config/config.js";
import type { UnrehearsedFault } from "./rehearsal-result.js";
import { REHEARSED_FAULTS, type RehearsedFault } from "./rehearsed-fault.js";

type Kind = Exclude<RehearsedFault, "none">;

/** The faults of a rehearsal, and those that do not apply to the bot's file. */
export interface FaultChoice {
  readonly faults: readonly Kind[];
  readonly notRehearsed: readonly UnrehearsedFault[];
}

/**
 * Chooses the faults of a rehearsal.
 * @param wanted kinds that the user named; every kind if empty
 * @throws ConfigError for a named kind that does not apply
 */
export function rehearsedFaultsFor(
  bot: BotConfig,
  exchange: Pick<ExchangeConfig, "markets">,
  runsGuard: boolean,
  wanted: readonly RehearsedFault[],
): FaultChoice {
  const named = new Set(wanted);
  const faults: Kind[] = [];
  const notRehearsed: UnrehearsedFault[] = [];
  for (const fault of REHEARSED_FAULTS) {
    if (named.size > 0 && !named.has(fault)) continue;
    const reason = obstacle(fault, bot, exchange, runsGuard);
    if (reason === undefined) faults.push(fault);
    else if (named.size === 0) notRehearsed.push({ fault, reason });
    else
      throw new ConfigError(`cannot be rehearsed: ${reason}`, {
        field: "--fault",
        value: fault,
        expected: "a kind of fault that applies to this bot",
      });
  }
  return { faults, notRehearsed };
}

/** True for a source whose price a rehearsal simulates: the exchange itself has the others. */
export function isSimulatedSource(bot: Pick<BotConfig, "references">, name: string): boolean {
  return bot.references?.[name]?.index === undefined;
}

/** Why a fault does not apply; undefined if it does. */
function obstacle(
  fault: Kind,
  bot: BotConfig,
  { markets }: Pick<ExchangeConfig, "markets">,
  runsGuard: boolean,
): string | undefined {
  if (fault === "bot-and-guard-killed" && !runsGuard) return "no guard runs";
  if (fault.startsWith("reference-")) {
    const sources = usedSourceNames(bot).filter((name) => isSimulatedSource(bot, name));
    return sources.length === 0 ? "no market uses a source of reference prices" : undefined;
  }
  if (fault.startsWith("hedge-")) {
    const isHedged = Object.values(bot.markets).some(({ hedge }) => hedge !== undefined);
    return isHedged ? undefined : "no market has a hedge";
  }
  const movesMarket =
    fault === "price-jump" ||
    fault === "price-trend" ||
    fault === "book-one-sided" ||
    fault === "mark-wrong";
  if (!movesMarket) return undefined;
  const hasSynthetic = Object.keys(bot.markets).some(
    (id) => markets[id]?.flow.kind === "synthetic",
  );
  return hasSynthetic ? undefined : "a recorded market keeps its recorded prices";
}
