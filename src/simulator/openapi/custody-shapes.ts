import { z } from "zod";
import { address, EXACT, list, ms } from "../../exchange/protocol/values.js";

/* The answers of the paths that stand for a wallet: the protocol has none of them. */

/** `POST /faucet`. */
export const faucetShape = z.object({
  account: address,
  amount: EXACT.unsigned,
  deposits: EXACT.decimal,
});

/** `POST /withdraw`. */
export const withdrawalShape = z.object({
  account: address,
  amount: EXACT.unsigned,
  executesAt: ms,
});

/** `POST /operator`. */
export const operatorsShape = z.object({ account: address, operators: list(address) });
