import { type ConfigSource, configConflict } from "../markets/config-conflict.js";
import type { ExchangeConfig } from "./config.js";

/**
 * Checks that every market has its own contract. An order names its market only by the contract, so
 * with a shared one an order for one market could be sent to the other.
 * @throws ConfigError naming the path, the value and what would be right.
 */
export function checkPerps({ markets }: ExchangeConfig, written?: ConfigSource): void {
  const marketOf = new Map<string, string>();
  for (const [id, { perp }] of Object.entries(markets)) {
    const other = perp === undefined ? undefined : marketOf.get(perp.toLowerCase());
    if (perp !== undefined && other !== undefined) {
      const against = [{ path: ["markets", other, "perp"], value: perp }];
      const expected = `another contract than the one of ${other}`;
      throw configConflict(
        {
          path: ["markets", id, "perp"],
          value: perp,
          summary: "is used for two markets",
          expected,
          against,
        },
        written,
      );
    }
    if (perp !== undefined) marketOf.set(perp.toLowerCase(), id);
  }
}
