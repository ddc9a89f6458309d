import type { Hex } from "../../core/units.js";

/** What a chain began with. It never changes: from another beginning the same transactions give another state. */
export interface ChainGenesis {
  readonly chainId: number;
  readonly timestampSeconds: number;
  readonly blockGasLimit: number;
  /** The most gas that one call may burn, and what a call gets that names none. */
  readonly callGasLimit: number;
  /** Base fee of the first block, wei a unit of gas. */
  readonly baseFeeWei: string;
  /** How a block orders what waits: the highest tip first, or as it came. */
  readonly order: "tip" | "arrival";
  /** Wei by address. */
  readonly balancesWei: Readonly<Record<Hex, string>>;
}
