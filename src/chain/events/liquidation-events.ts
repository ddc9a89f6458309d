import type { Hex } from "../../core/units.js";
import { defineEvent } from "./event-decoder.js";

/**
 * One account's change of paper (1e-18 coins) and credit (smallest units). Addresses in lower case,
 * as in every event here.
 */
interface Takeover {
  readonly perp: Hex;
  readonly victim: Hex;
  readonly paper: bigint;
  readonly credit: bigint;
  /** Serial number of the account's positions in that market. */
  readonly positionSerial: bigint;
}

/** The liquidator's side. */
export interface JoinLiquidation extends Takeover {
  readonly name: "JoinLiquidation";
  readonly liquidator: Hex;
}

/**
 * An account without positions that still owed credit: all of it moved to the insurance account.
 */
export interface HandleBadDebt {
  readonly name: "HandleBadDebt";
  readonly victim: Hex;
  /** Negative. */
  readonly primaryCredit: bigint;
  readonly secondaryCredit: bigint;
}

/** Emitted by the dealer. */
export const joinLiquidation = defineEvent<JoinLiquidation>(
  "JoinLiquidation(address,address,address,int256,int256,uint256)",
  3,
  (words) => ({
    name: "JoinLiquidation",
    perp: words.address(0),
    liquidator: words.address(1),
    victim: words.address(2),
    paper: words.int(3),
    credit: words.int(4),
    positionSerial: words.uint(5),
  }),
);

/** Emitted by the dealer. */
export const handleBadDebt = defineEvent<HandleBadDebt>(
  "HandleBadDebt(address,int256,uint256)",
  1,
  (words) => ({
    name: "HandleBadDebt",
    victim: words.address(0),
    primaryCredit: words.int(1),
    secondaryCredit: words.uint(2),
  }),
);
