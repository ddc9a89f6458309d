import type { ChainLog } from "../../chain/blocks/chain-log.js";
import {
  balanceChange,
  deposit,
  transferIn,
  transferOut,
  withdraw,
} from "../../chain/events/account-events.js";
import { handleBadDebt } from "../../chain/events/liquidation-events.js";
import type { Hex } from "../../core/units.js";

/**
 * Events that change an account's margin (docs/reference/protocol.md#contract-interface). Each
 * trade and each liquidation emits a BalanceChange for every account that it moves, so the bot does
 * not read their own events.
 */
const TRADER_EVENTS = [balanceChange, deposit, withdraw, transferIn, transferOut] as const;

/** First topics for `eth_getLogs`. */
export const HOLDER_TOPICS: readonly Hex[] = [...TRADER_EVENTS, handleBadDebt].map(
  ({ topic }) => topic,
);

/**
 * Returns the accounts whose margin changed according to a list of logs, in lower case.
 * @param logs of the exchange's own contracts; other events are skipped.
 * @throws FormatError for a log that has an event's topic but not its arguments.
 */
export function accountsInLogs(logs: readonly ChainLog[]): Set<Hex> {
  const accounts = new Set<Hex>();
  for (const log of logs) {
    const debtor = handleBadDebt.decode(log)?.victim;
    const trader =
      debtor ??
      TRADER_EVENTS.map((kind) => kind.decode(log)).find((event) => event !== undefined)?.trader;
    if (trader !== undefined) accounts.add(trader);
  }
  return accounts;
}
