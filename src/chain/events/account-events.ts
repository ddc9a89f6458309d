import type { Hex } from "../../core/units.js";
import { defineEvent } from "./event-decoder.js";

/** A change of one account's paper and credit in one market, by a trade or a liquidation. */
export interface BalanceChange {
  readonly name: "BalanceChange";
  /** The contract that emits it. */
  readonly perp: Hex;
  readonly trader: Hex;
  readonly paper: bigint;
  readonly credit: bigint;
}

/** Credit came in from a wallet. */
export interface Deposit {
  readonly name: "Deposit";
  readonly trader: Hex;
  readonly payer: Hex;
  readonly primary: bigint;
  readonly secondary: bigint;
}

/** Credit went out to a wallet. */
export interface Withdraw {
  readonly name: "Withdraw";
  readonly to: Hex;
  readonly trader: Hex;
  readonly primary: bigint;
  readonly secondary: bigint;
}

/** Credit moved from one account to another, without a token: one event for each. */
export interface Transfer {
  readonly name: "TransferIn" | "TransferOut";
  readonly trader: Hex;
  readonly primary: bigint;
  readonly secondary: bigint;
}

/** Emitted by a perpetual. */
export const balanceChange = defineEvent<BalanceChange>(
  "BalanceChange(address,int256,int256)",
  1,
  (words, { address }) => ({
    name: "BalanceChange",
    perp: address,
    trader: words.address(0),
    paper: words.int(1),
    credit: words.int(2),
  }),
);

/** Emitted by the dealer, as all below. */
export const deposit = defineEvent<Deposit>(
  "Deposit(address,address,uint256,uint256)",
  2,
  (words) => ({
    name: "Deposit",
    trader: words.address(0),
    payer: words.address(1),
    primary: words.uint(2),
    secondary: words.uint(3),
  }),
);

export const withdraw = defineEvent<Withdraw>(
  "Withdraw(address,address,uint256,uint256)",
  2,
  (words) => ({
    name: "Withdraw",
    to: words.address(0),
    trader: words.address(1),
    primary: words.uint(2),
    secondary: words.uint(3),
  }),
);

const transfer = (name: Transfer["name"]) =>
  defineEvent<Transfer>(`${name}(address,uint256,uint256)`, 0, (words) => ({
    name,
    trader: words.address(0),
    primary: words.uint(1),
    secondary: words.uint(2),
  }));

export const transferIn = transfer("TransferIn");
export const transferOut = transfer("TransferOut");
