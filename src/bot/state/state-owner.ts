import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { readJsonState, type StateStore } from "./state-dir.js";

/** The file that names the account of a state directory. */
export const OWNER_FILE = "account.json";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
/** An exchange, by the chain and the contract that its orders are signed for. */
export const exchangeSchema = z.strictObject({ chainId: z.int(), verifyingContract: address });

type SignedExchange = z.output<typeof exchangeSchema>;

const ownerSchema = z.strictObject({
  version: z.literal(1),
  account: address,
  /**
   * Chain and contract that its orders are signed for; absent until a bot or a guard has read them.
   */
  exchange: exchangeSchema.optional(),
});

/** A state directory, and where it is. */
export interface OwnedState {
  readonly store: Pick<StateStore, "read" | "write">;
  readonly directory: string;
  readonly account: Hex;
}

/**
 * Claims a directory for the account, or verifies that it has it already. Another account's peak
 * would halt the bot, or hide its own loss; its guard would mistake another bot's heartbeat for its
 * own.
 * @throws ConfigError if it belongs to another account; CorruptStateError if the file that names
 * the account is corrupt; RunError if it cannot be written.
 */
export function claimState({ store, directory, account }: OwnedState): void {
  const owner = readOwner(store)?.account;
  if (owner === undefined) return store.write(OWNER_FILE, JSON.stringify({ version: 1, account }));
  if (owner.toLowerCase() === account.toLowerCase()) return;
  throw new ConfigError("holds the state of another account", {
    field: "stateDir",
    value: directory,
    expected: `a separate folder for ${account}; the ${OWNER_FILE} of this one names ${owner}`,
  });
}

/**
 * Claims a directory for the exchange, identified by what orders are signed for. One account on two
 * exchanges has two peaks, two records of fills and two guards. Call it after {@link claimState},
 * once the exchange's rules are known.
 * @throws ConfigError if the directory belongs to another exchange; else as {@link claimState}.
 */
export function claimStateFor(rules: VenueRules, { store, directory, account }: OwnedState): void {
  const { chainId, verifyingContract } = rules.eip712;
  const held = readOwner(store)?.exchange;
  if (held === undefined)
    return store.write(
      OWNER_FILE,
      JSON.stringify({ version: 1, account, exchange: { chainId, verifyingContract } }),
    );
  if (isSameExchange(held, { chainId, verifyingContract })) return;
  throw new ConfigError("holds the account's state on another exchange", {
    field: "stateDir",
    value: directory,
    expected:
      `a folder for each exchange. The ${OWNER_FILE} of this one names chain ${held.chainId}, contract ${held.verifyingContract}; ` +
      `exchange.rest has chain ${chainId}, contract ${verifyingContract}. If the exchange itself has moved there, move ${OWNER_FILE} away`,
  });
}

/**
 * The exchange that a directory is claimed for; undefined before {@link claimStateFor}. @throws
 * CorruptStateError if the file that names it is corrupt.
 */
export function claimedExchange(store: Pick<StateStore, "read">): SignedExchange | undefined {
  return readOwner(store)?.exchange;
}

export function isSameExchange(one: SignedExchange, other: SignedExchange): boolean {
  return (
    one.chainId === other.chainId &&
    one.verifyingContract.toLowerCase() === other.verifyingContract.toLowerCase()
  );
}

function readOwner(store: Pick<StateStore, "read">): z.infer<typeof ownerSchema> | undefined {
  return readJsonState(store, OWNER_FILE, (value) => ownerSchema.parse(value));
}
