import { FormatError } from "../../core/errors.js";
import type { Hex, MarketId } from "../../core/units.js";
import type { BotContext } from "../engine/context.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";

/**
 * The file of the contracts in the state directory: those that the last run of each market traded
 * on.
 */
export const CONTRACTS_FILE = "contracts.json";

/** Marks a change that an operator may accept: nothing rests on the previous contract. */
export const IN_THE_LAST_RUN = "in the last run";

/**
 * The markets whose contract differs from the last run, each with the change: an operator checks it
 * before anything is signed for it.
 * @throws CorruptStateError or FormatError if the file is corrupt
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

/** A market and its contract. */
interface TradedMarket {
  readonly marketId: MarketId;
  readonly rules: { readonly perp: Hex };
}

/**
 * Writes the contracts of these markets, and keeps those of other markets: a market that returns to
 * the file is compared with its old contract.
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
