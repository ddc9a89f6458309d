import type { Hex } from "../../core/units.js";
import { AbiReader } from "../abi/abi-reader.js";
import { type ContractCall, encodeCall } from "../contracts/contract-call.js";

/** A takeover of another account's position, or part of it. */
export interface LiquidateArguments {
  readonly perp: Hex;
  /** Account that takes the position over: the sender's, or one whose operator the sender is. */
  readonly liquidator: Hex;
  readonly victim: Hex;
  /**
   * 1e-18 coins, with the sign of the victim's position. The contract caps it to the position, and
   * overflows above 2^127.
   */
  readonly requestPaper: bigint;
  /**
   * The worst credit accepted for the whole request, applied pro rata. Negative: the most to pay
   * for a long; positive: the least to receive for a short. Smallest units.
   */
  readonly expectCredit: bigint;
}

/** Decodes `requestPaper` of a {@link liquidateCall}; undefined for any other data. */
export function decodeRequestPaper(data: Hex): bigint | undefined {
  const word = /^0x[0-9a-f]{8}[0-9a-f]{128}([0-9a-f]{64})[0-9a-f]{64}$/i.exec(data)?.[1];
  return word === undefined ? undefined : BigInt.asIntN(256, BigInt(`0x${word}`));
}

/** `Perpetual.liquidate(address,address,int256,int256)`. */
export function liquidateCall({
  perp,
  liquidator,
  victim,
  requestPaper,
  expectCredit,
}: LiquidateArguments): ContractCall {
  return encodeCall(perp, "liquidate(address,address,int256,int256)", [
    liquidator,
    victim,
    requestPaper,
    expectCredit,
  ]);
}

/**
 * Decodes the arguments of a {@link liquidateCall}, addresses in lower case. @throws FormatError
 * for other data
 */
export function liquidateArguments({ to, data }: ContractCall): LiquidateArguments {
  const words = new AbiReader(`0x${data.slice(SELECTOR_LENGTH)}`);
  return {
    perp: to.toLowerCase(),
    liquidator: words.address(0),
    victim: words.address(32),
    requestPaper: words.int(64),
    expectCredit: words.int(96),
  };
}

/** `0x` and the four bytes before the arguments. */
const SELECTOR_LENGTH = 10;
