import { ConfigError } from "../../core/errors.js";
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

/** @param place where the kept one is, for messages. @throws ConfigError that names what differs */
export function requireSameGenesis(kept: ChainGenesis, wanted: ChainGenesis, place: string): void {
  for (const key of Object.keys(wanted) as (keyof ChainGenesis)[]) {
    const [was, is] = [JSON.stringify(kept[key]), JSON.stringify(wanted[key])];
    if (was !== is)
      throw new ConfigError("the chain that is kept began otherwise", {
        field: `${place}: ${key}`,
        value: is,
        expected: was,
      });
  }
}
