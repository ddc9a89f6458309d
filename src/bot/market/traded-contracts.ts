import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";

/**
 * The contracts' file in the state directory: what the last run that had a market traded on there.
 */
export const CONTRACTS_FILE = "contracts.json";

/** Says of a change that a person may accept it: nothing rests on the contract of before. */
export const IN_THE_LAST_RUN = "in the last run";

/**
 * The markets whose contract is not the one of the last run, each with what changed: somebody looks
 * before anything is signed for it.
 * @throws CorruptStateError or FormatError when what was written down is broken
 */
export function findChangedContracts({
  store,
  traders,
}: BotContext): ReadonlyMap<MarketId, string> {
  const known = remembered(store);
  const changes = new Map<MarketId, string>();
  for (const { marketId, rules } of traders.values()) {
    const before = known[marketId];
    if (before !== undefined && before !== rules.perp.toLowerCase())
      changes.set(marketId, `perp was ${before} ${IN_THE_LAST_RUN}, is ${rules.perp}`);
  }
  return changes;
}

/** A market, and its contract. */
interface TradedMarket {
  readonly marketId: MarketId;
  readonly rules: { readonly perp: Hex };
}

/**
 * Writes down what is traded on, beside what was in markets that are not among these: one that is
 * back in the file is held against it.
 */
export function writeTradedContracts(
  store: Pick<StateStore, "read" | "write">,
  markets: readonly TradedMarket[],
): void {
  const contracts = markets.map(({ marketId, rules }) => [marketId, rules.perp.toLowerCase()]);
  store.write(
    CONTRACTS_FILE,
    JSON.stringify({ ...remembered(store), ...Object.fromEntries(contracts) }),
  );
}

function remembered(store: Pick<StateStore, "read">): Readonly<Record<string, string>> {
  return readJsonState(store, CONTRACTS_FILE, contractsOf) ?? {};
}

function contractsOf(value: unknown): Readonly<Record<MarketId, string>> {
  if (
    typeof value !== "object" ||
    value === null ||
    Object.values(value).some((held) => typeof held !== "string")
  ) {
    throw new FormatError("not the contracts of a run", {
      field: CONTRACTS_FILE,
      value,
      expected: "an address for each market",
    });
  }
  return value as Record<MarketId, string>;
}
