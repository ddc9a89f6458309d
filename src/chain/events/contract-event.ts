import type { Hex } from "../../core/units.js";
import type { ChainLog } from "../chain-log.js";
import {
  type BalanceChange,
  balanceChange,
  type Deposit,
  deposit,
  type OrderFilled,
  orderFilled,
  type SetOperator,
  setOperator,
  type Transfer,
  transferIn,
  transferOut,
  type Withdraw,
  withdraw,
} from "./account-events.js";
import type { EventKind } from "./event-words.js";
import {
  type BeingLiquidated,
  beingLiquidated,
  type ChargeInsurance,
  chargeInsurance,
  type HandleBadDebt,
  handleBadDebt,
  type JoinLiquidation,
  joinLiquidation,
} from "./liquidation-events.js";
import { type AnswerUpdated, answerUpdated, type UpdateFundingRate, updateFundingRate } from "./market-events.js";

/** An event of the contracts that says something about accounts, positions or prices; `name` is the contract's. */
export type ContractEvent =
  | BeingLiquidated
  | JoinLiquidation
  | ChargeInsurance
  | HandleBadDebt
  | BalanceChange
  | OrderFilled
  | Deposit
  | Withdraw
  | Transfer
  | SetOperator
  | UpdateFundingRate
  | AnswerUpdated;

const KINDS: readonly EventKind<ContractEvent>[] = [
  beingLiquidated,
  joinLiquidation,
  chargeInsurance,
  handleBadDebt,
  balanceChange,
  orderFilled,
  deposit,
  withdraw,
  transferIn,
  transferOut,
  setOperator,
  updateFundingRate,
  answerUpdated,
];
const BY_TOPIC: ReadonlyMap<Hex, EventKind<ContractEvent>> = new Map(KINDS.map((kind) => [kind.topic, kind]));

/**
 * What a log says. Anybody may emit the same from a contract of their own: compare `log.address` with the dealer's, the market's or the
 * source's before it counts.
 * @returns undefined for an event of another kind.
 * @throws FormatError when it has an event's topic and not its arguments.
 */
export function contractEventOf(log: ChainLog): ContractEvent | undefined {
  const [topic] = log.topics;
  return topic === undefined ? undefined : BY_TOPIC.get(topic)?.decode(log);
}
