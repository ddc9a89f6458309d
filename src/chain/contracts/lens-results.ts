import { FormatError } from "../../core/errors.js";
import type { Hex, Ms } from "../../core/units.js";
import { AbiReader } from "../abi/abi-reader.js";
import { classifyRevertData, type Revert } from "./revert.js";

/** The result of one view, or its failure. */
export type LensOutcome<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly revert: Revert };

/** An account's margin, in credit units. */
export type AccountRisk = LensOutcome<{
  /** True if netValueCredit >= maintenanceMarginCredit, as the dealer judges. */
  readonly isSafe: boolean;
  readonly netValueCredit: bigint;
  readonly exposureCredit: bigint;
  readonly initialMarginCredit: bigint;
  readonly maintenanceMarginCredit: bigint;
}>;

/** A mark price in credit units per 1e18 paper, or the reason why there is none. */
export type MarkPrice = LensOutcome<{ readonly creditPerCoin: bigint }>;

/** One position: paper of 1e-18 coins, long positive, and credit with funding applied. */
export interface ChainPosition {
  readonly perp: Hex;
  readonly paper: bigint;
  readonly credit: bigint;
  readonly markPrice: MarkPrice;
}

/** An account's credit and positions. */
export type AccountHoldings = LensOutcome<{
  readonly primaryCredit: bigint;
  readonly secondaryCredit: bigint;
  readonly positions: readonly ChainPosition[];
}>;

/**
 * An account's credit and positions without prices, from which its margin follows if the markets
 * were read too.
 */
export type ChainAccountBalances = LensOutcome<{
  readonly primaryCredit: bigint;
  readonly secondaryCredit: bigint;
  /** Paper of 1e-18 coins, long positive, and credit with funding applied. */
  readonly positions: readonly {
    readonly perp: Hex;
    readonly paper: bigint;
    readonly credit: bigint;
  }[];
}>;

/**
 * The liquidator's result of a liquidation: paper, and the credit for it (negative for a long
 * position).
 */
export type LiquidationCost = LensOutcome<{ readonly paper: bigint; readonly credit: bigint }>;

/** A listed market's rules; ratios and rates are scaled by 1e18. */
export interface ChainMarket {
  readonly perp: Hex;
  readonly name: string;
  readonly initialMarginRatio: bigint;
  readonly maintenanceMarginRatio: bigint;
  /** The discount at which a liquidator takes over. */
  readonly liquidationPriceOff: bigint;
  readonly insuranceFeeRate: bigint;
  readonly markPriceSource: Hex;
  readonly isRegistered: boolean;
  /** Cumulative, credit units per 1e18 paper. */
  readonly fundingRate: bigint;
  readonly markPrice: MarkPrice;
}

/** One response of the lens: its block, and its entries in the order of the request. */
export interface LensResponse<Entry> {
  readonly blockNumber: bigint;
  readonly timestampMs: Ms;
  readonly list: readonly Entry[];
}

const W = 32;

/** A word of all ones marks an account that could not be read. */
const UNREADABLE = 2n ** 256n - 1n;

/** @throws FormatError when it is not a response of the lens, as every decoder here does. */
export function decodeRisks(data: Hex): LensResponse<AccountRisk> {
  return decodeList(data, (words, at): AccountRisk => {
    if (!words.bool(at)) return refused(words, at + 6 * W, at);
    return {
      ok: true,
      isSafe: words.bool(at + W),
      netValueCredit: words.int(at + 2 * W),
      exposureCredit: words.uint(at + 3 * W),
      initialMarginCredit: words.uint(at + 4 * W),
      maintenanceMarginCredit: words.uint(at + 5 * W),
    };
  });
}

/** The lens gives no reason for an account that could not be read. */
export function decodeHoldings(data: Hex): LensResponse<AccountHoldings> {
  return decodeList(data, (words, at): AccountHoldings => {
    if (!words.bool(at)) return { ok: false, revert: classifyRevertData("0x") };
    const positions = words.entries(words.follow(at + 3 * W, at)).map((place) => ({
      perp: words.address(place),
      paper: words.int(place + W),
      credit: words.int(place + 2 * W),
      markPrice: markPrice(words, place + 3 * W, place),
    }));
    return {
      ok: true,
      primaryCredit: words.int(at + W),
      secondaryCredit: words.uint(at + 2 * W),
      positions,
    };
  });
}

/** The lens gives no reason for an account that could not be read. */
export function decodeLensBalances(data: Hex): LensResponse<ChainAccountBalances> {
  const words = new AbiReader(data);
  const start = words.follow(2 * W, 0);
  const end = start + W + words.index(start);
  const list: ChainAccountBalances[] = [];
  for (let at = start + W; at < end; ) {
    if (words.uint(at) === UNREADABLE) {
      list.push({ ok: false, revert: classifyRevertData("0x") });
      at += W;
      continue;
    }
    const count = words.index(at);
    const first = at + 3 * W;
    const next = first + count * 3 * W;
    if (next > end)
      throw new FormatError("an account that ends too late", {
        value: count,
        expected: "positions within the answer",
      });
    const positions = Array.from({ length: count }, (_, i) => {
      const place = first + i * 3 * W;
      return {
        perp: words.address(place),
        paper: words.int(place + W),
        credit: words.int(place + 2 * W),
      };
    });
    list.push({
      ok: true,
      primaryCredit: words.int(at + W),
      secondaryCredit: words.uint(at + 2 * W),
      positions,
    });
    at = next;
  }
  return { blockNumber: words.uint(0), timestampMs: words.index(W) * 1000, list };
}

/** The result of each liquidation. */
export function decodeCosts(data: Hex): LensResponse<LiquidationCost> {
  return decodeList(data, (words, at): LiquidationCost => {
    if (!words.bool(at)) return refused(words, at + 3 * W, at);
    return { ok: true, paper: words.int(at + W), credit: words.int(at + 2 * W) };
  });
}

/** Every market that the dealer lists. */
export function decodeMarkets(data: Hex): LensResponse<ChainMarket> {
  return decodeList(data, (words, at) => {
    const params = words.follow(at + W, at);
    return {
      perp: words.address(at),
      initialMarginRatio: words.uint(params),
      maintenanceMarginRatio: words.uint(params + W),
      liquidationPriceOff: words.uint(params + 2 * W),
      insuranceFeeRate: words.uint(params + 3 * W),
      markPriceSource: words.address(params + 4 * W),
      name: words.text(words.follow(params + 5 * W, params)),
      isRegistered: words.bool(params + 6 * W),
      fundingRate: words.int(at + 2 * W),
      markPrice: markPrice(words, at + 3 * W, at),
    };
  });
}

function decodeList<Entry>(
  data: Hex,
  entry: (words: AbiReader, at: number) => Entry,
): LensResponse<Entry> {
  const words = new AbiReader(data);
  const places = words.entries(words.follow(2 * W, 0));
  return {
    blockNumber: words.uint(0),
    timestampMs: words.index(W) * 1000,
    list: places.map((at) => entry(words, at)),
  };
}

/** `bool ok, uint256 price, bytes reason` in a tuple that begins at `base`. */
function markPrice(words: AbiReader, at: number, base: number): MarkPrice {
  return words.bool(at)
    ? { ok: true, creditPerCoin: words.uint(at + W) }
    : refused(words, at + 2 * W, base);
}

function refused(
  words: AbiReader,
  at: number,
  base: number,
): { readonly ok: false; readonly revert: Revert } {
  return { ok: false, revert: classifyRevertData(words.bytes(words.follow(at, base))) };
}
