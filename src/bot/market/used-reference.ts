import type { Instrument } from "../../core/instrument.js";
import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import { MarketReference, type ReferenceInstant } from "../../reference/market-reference.js";
import type { BotConfig, MarketReferenceConfig } from "../config/config.js";

/** A market's reference price, and what the bot does without it. */
export interface UsedReference {
  readonly price: MarketReference;
  readonly onStale: MarketReferenceConfig["onStale"];
  readonly widenFactor: number;
}

/** The present instant, at which a reference price is read. */
export function referenceInstant({
  clock,
  exchangeTime,
}: {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly exchangeTime: { nowMs(): Ms };
}): ReferenceInstant {
  return { monotonicMs: clock.monotonicMs(), exchangeMs: exchangeTime.nowMs() };
}

/**
 * Names of the sources that markets use, in the order of the file.
 * @param marketIds some markets; every market of the config if absent
 */
export function usedSourceNames(
  { markets, references = {} }: Pick<BotConfig, "markets" | "references">,
  marketIds: Iterable<MarketId> = Object.keys(markets),
): string[] {
  const used = new Set(
    [...marketIds].flatMap((id) => [
      ...(markets[id]?.reference?.from ?? []).map((one) =>
        typeof one === "string" ? one : one.source,
      ),
      ...[markets[id]?.hedge?.quoteRate?.reference ?? []].flat(),
    ]),
  );
  return Object.keys(references).filter((name) => used.has(name));
}

/** The reference price of a market; undefined if the config names none. */
export function referenceFor(
  { markets, references = {} }: Pick<BotConfig, "markets" | "references">,
  { marketId, tickQuote }: Pick<Instrument, "marketId" | "tickQuote">,
): UsedReference | undefined {
  const config = markets[marketId]?.reference;
  if (config === undefined) return undefined;
  const { onStale, widenFactor, combine, maxDeviationBps, maxFromMidBps, basis } = config;
  const sources = config.from.map((one) => {
    const { source, weight } = typeof one === "string" ? { source: one, weight: 1 } : one;
    const { multiplier, maxAgeMs = config.maxAgeMs } = references[source];
    return { source, weight, maxAgeMs, multiplier };
  });
  const minSources = config.minSources ?? Math.min(2, sources.length);
  const price = new MarketReference(
    { sources, combine, maxDeviationBps, maxFromMidBps, minSources, basis },
    tickQuote,
  );
  return { price, onStale, widenFactor };
}
