import type { Hex } from "../../core/units.js";
import { AbiReader } from "../abi/abi-reader.js";
import { type ContractCall, encodeCall } from "../contracts/contract-call.js";

/** A takeover of somebody's position, or part of it. */
export interface LiquidateArguments {
  readonly perp: Hex;
  /** Whose account takes the position over: the sender's, or one whose operator the sender is. */
  readonly liquidator: Hex;
  readonly victim: Hex;
  /** 1e-18 coins, of the sign of the victim's position; what is beyond the position is cut off. Above 2^127 the contract overflows. */
  readonly requestPaper: bigint;
  /**
   * The worst credit accepted for the whole request, judged pro rata: negative, the most that is paid for a long; positive, the least
   * that is received for a short. Smallest units.
   */
  readonly expectCredit: bigint;
}

/** `requestPaper` of a {@link liquidateCall}; undefined of any other data. */
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

/** The arguments of a call that {@link liquidateCall} made, addresses in lower case. @throws FormatError for other data */
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
