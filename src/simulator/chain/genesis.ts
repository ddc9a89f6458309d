import { ConfigError } from "../../core/errors.js";
import type { Hex } from "../../core/units.js";

/**
 * The genesis of a chain. It never changes: from another genesis the same transactions give another
 * state.
 */
export interface ChainGenesis {
  readonly chainId: number;
  readonly timestampSeconds: number;
  readonly blockGasLimit: number;
  /** The gas limit of one call, and the default of a call that names none. */
  readonly callGasLimit: number;
  /** Base fee of the first block, in wei per unit of gas. */
  readonly baseFeeWei: string;
  /** The order of pending transactions in a block: the highest tip first, or by arrival. */
  readonly order: "tip" | "arrival";
  /** Wei by address. */
  readonly balancesWei: Readonly<Record<Hex, string>>;
}

/**
 * @param place the location of the kept genesis, for messages.
 * @throws ConfigError that names the differences
 */
export function requireSameGenesis(kept: ChainGenesis, wanted: ChainGenesis, place: string): void {
  for (const key of Object.keys(wanted) as (keyof ChainGenesis)[]) {
    const [was, is] = [JSON.stringify(kept[key]), JSON.stringify(wanted[key])];
    if (was !== is)
      throw new ConfigError("the stored chain has another genesis", {
        field: `${place}: ${key}`,
        value: is,
        expected: was,
      });
  }
}
