import { FormatError } from "../../core/errors.js";
import { bytesToHex } from "../../core/hex.js";
import { keccak256 } from "../../core/keccak.js";
import type { Hex } from "../../core/units.js";

/** Where in a log the account stands that it concerns. */
type Place = { readonly topic: 1 | 2 } | "first-word";

/**
 * Events after which an account's margin is another than before (protocol 7.2), with the account's place. Each trade and each
 * liquidation tells a BalanceChange for everybody that it moved, so that orders and liquidations need not be read beside it.
 */
const EVENTS: readonly (readonly [signature: string, place: Place])[] = [
  ["BalanceChange(address,int256,int256)", { topic: 1 }],
  ["Deposit(address,address,uint256,uint256)", { topic: 1 }],
  ["Withdraw(address,address,uint256,uint256)", { topic: 2 }],
  ["TransferIn(address,uint256,uint256)", "first-word"],
  ["TransferOut(address,uint256,uint256)", "first-word"],
  ["HandleBadDebt(address,int256,uint256)", { topic: 1 }],
];

const PLACES: ReadonlyMap<Hex, Place> = new Map(
  EVENTS.map(([signature, place]) => [bytesToHex(keccak256(Buffer.from(signature, "ascii"))), place]),
);

/** First topics that `eth_getLogs` is asked for. */
export const HOLDER_TOPICS: readonly Hex[] = [...PLACES.keys()];

const WORD_DIGITS = 64;

/**
 * The accounts whose margin a list of logs tells a change of, in lower case.
 * @param logs a result of `eth_getLogs`, unchecked.
 * @throws FormatError when it is none; a log of another event, or one that was removed by a reorganisation, is passed over.
 */
export function accountsOfLogs(logs: unknown): Set<Hex> {
  if (!Array.isArray(logs)) throw new FormatError("no list of logs", { value: typeof logs, expected: "an array" });
  const accounts = new Set<Hex>();
  for (const log of logs as unknown[]) {
    const { topics, data } = (typeof log === "object" && log !== null ? log : {}) as { topics?: unknown; data?: unknown };
    if (!Array.isArray(topics)) throw new FormatError("a log without topics", { value: typeof topics, expected: "an array" });
    const place = PLACES.get(String(topics[0]).toLowerCase());
    if (place === undefined) continue;
    const word = place === "first-word" ? `0x${String(data).slice(2, 2 + WORD_DIGITS)}` : String(topics[place.topic]);
    if (!/^0x0{24}[0-9a-fA-F]{40}$/.test(word)) throw new FormatError("no address in a log", { value: word, expected: "a word" });
    accounts.add(`0x${word.slice(-40).toLowerCase()}`);
  }
  return accounts;
}
