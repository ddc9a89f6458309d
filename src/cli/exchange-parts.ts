import type { OptionalPart } from "../core/optional-part.js";
import type { ExchangeConfig } from "../simulator/config/config.js";

/** The optional packages that an exchange of this configuration needs. */
export function exchangeParts({ chain, dataDir }: ExchangeConfig): readonly OptionalPart[] {
  return [
    ...(chain === undefined ? [] : (["@nomicfoundation/edr"] as const)),
    ...(dataDir === undefined ? [] : (["lmdb"] as const)),
  ];
}
