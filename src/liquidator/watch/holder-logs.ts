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
 * Events after which an account's margin is another than before
 * (docs/reference/protocol.md#contract-interface). Each trade and each liquidation tells a
 * BalanceChange for everybody that it moved, so that orders and liquidations need not be read
 * beside it.
 */
const TRADER_EVENTS = [balanceChange, deposit, withdraw, transferIn, transferOut] as const;

/** First topics that `eth_getLogs` is asked for. */
export const HOLDER_TOPICS: readonly Hex[] = [...TRADER_EVENTS, handleBadDebt].map(
  ({ topic }) => topic,
);

/**
 * The accounts whose margin a list of logs tells a change of, in lower case.
 * @param logs of the exchange's own contracts; one of another event is passed over.
 * @throws FormatError for a log that has an event's topic and not its arguments.
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
