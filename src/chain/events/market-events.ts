import type { Hex, Ms } from "../../core/units.js";
import { eventKind } from "./event-words.js";

/** A market's cumulative funding rate moved: credit units per 1e18 paper. */
export interface UpdateFundingRate {
  readonly name: "UpdateFundingRate";
  readonly perp: Hex;
  readonly oldRate: bigint;
  readonly newRate: bigint;
}

/**
 * A price source has a new answer. At the published sources it is no mark price, and not every change of the mark price tells one:
 * take it for a reason to ask.
 */
export interface AnswerUpdated {
  readonly name: "AnswerUpdated";
  readonly priceSource: Hex;
  readonly current: bigint;
  readonly roundId: bigint;
  readonly updatedAtMs: Ms;
}

/** Of the dealer. */
export const updateFundingRate = eventKind<UpdateFundingRate>("UpdateFundingRate(address,int256,int256)", 1, (words) => ({
  name: "UpdateFundingRate",
  perp: words.address(0),
  oldRate: words.int(1),
  newRate: words.int(2),
}));

/** Of a price source. */
export const answerUpdated = eventKind<AnswerUpdated>("AnswerUpdated(int256,bytes32,uint256,uint256,string)", 3, (words, { address }) => ({
  name: "AnswerUpdated",
  priceSource: address,
  current: words.int(0),
  roundId: words.uint(2),
  updatedAtMs: Number(words.uint(3)) * 1000,
}));
