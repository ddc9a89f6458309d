import { z } from "zod";
import {
  OPERATIONS,
  type Operation,
  type OperationName,
} from "../../exchange/protocol/operations.js";
import { account } from "../../exchange/protocol/parameters.js";
import { address, EXACT, list, ms } from "../../exchange/protocol/values.js";
import type { ExchangeConfig } from "../config/config.js";
import type { RateBucket } from "./rate-limiter.js";

/** One operation that the embedded exchange offers. */
export interface OfferedOperation extends Omit<Operation, "name" | "group" | "bucket"> {
  readonly name: OfferedName;
  readonly group: Operation["group"] | "custody";
  /** Null if it does not count against a limit. */
  readonly bucket: RateBucket | null;
}

/**
 * The operations of the protocol, and those that replace a wallet's deposits and contract calls.
 */
export type OfferedName = OperationName | "faucet" | "withdraw" | "setOperator";

/** `POST /faucet`. */
export const faucetAnswer = z.object({
  account: address,
  amount: EXACT.unsigned,
  deposits: EXACT.decimal,
});

/** `POST /withdraw`. */
export const withdrawalAnswer = z.object({
  account: address,
  amount: EXACT.unsigned,
  executesAt: ms,
});

/** `POST /operator`. */
export const operatorsAnswer = z.object({ account: address, operators: list(address) });

const amount = {
  name: "amount",
  type: "decimal",
  required: true,
  description: "quote credit",
} as const;

const CUSTODY_OPERATIONS: readonly OfferedOperation[] = [
  {
    name: "faucet",
    method: "POST",
    path: "/faucet",
    group: "custody",
    bucket: null,
    summary: "credits an account with test funds",
    isPrivate: false,
    parameters: [account, amount],
    answer: faucetAnswer,
  },
  {
    name: "withdraw",
    method: "POST",
    path: "/withdraw",
    group: "custody",
    bucket: "COMMON",
    summary: "withdraws credit; the account itself must sign",
    isPrivate: true,
    parameters: [amount],
    answer: withdrawalAnswer,
  },
  {
    name: "setOperator",
    method: "POST",
    path: "/operator",
    group: "custody",
    bucket: "COMMON",
    summary:
      "adds or removes an operator, who may sign for the account; the account itself must sign",
    isPrivate: true,
    parameters: [
      {
        name: "operator",
        type: "address",
        required: true,
        description: "address of the operator",
      },
      {
        name: "isValid",
        type: "enum",
        required: true,
        values: ["true", "false"],
        description: "true adds the operator, false removes it",
      },
    ],
    answer: operatorsAnswer,
  },
];

/** Every operation of an exchange of this configuration, for the router and the document. */
export function offeredOperations({
  faucet,
  withdrawals,
  choices,
}: Pick<ExchangeConfig, "faucet" | "withdrawals" | "choices">): readonly OfferedOperation[] {
  const isOffered: Readonly<Partial<Record<OfferedName, boolean>>> = {
    faucet: faucet.enabled,
    withdraw: withdrawals.enabled,
    // The specification does not list these two.
    offchainMarkPriceWithVolKlines: choices.unlistedEndpoints,
    tradeVolume: choices.unlistedEndpoints,
  };
  return [...Object.values<OfferedOperation>(OPERATIONS), ...CUSTODY_OPERATIONS].filter(
    ({ name }) => isOffered[name] ?? true,
  );
}
