import type { ChainRpc } from "../../../chain/rpc/chain-rpc.js";
import { describeThrown } from "../../../core/describe-thrown.js";
import { MarketwrightError } from "../../../core/errors.js";
import type { Instrument } from "../../../core/instrument.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../../core/units.js";
import type { RestClient } from "../../../exchange/rest/rest-client.js";
import type { Log } from "../../../monitoring/log.js";
import type { PriceMessage, SourcePrice } from "../../../reference/price-message.js";
import type { PriceSource } from "../../../reference/sources/price-source.js";
import type { BotConfig } from "../../config/config.js";
import { referenceFor, usedSourceNames } from "../../market/used-reference.js";
import { type PreparedSource, prepareSource } from "../references/prepare-sources.js";
import type { Finding } from "./finding.js";

/** The sources of a file that can be used, and a finding about each. */
export interface ReferenceFileCheck {
  readonly sources: readonly PreparedSource[];
  readonly findings: readonly Finding[];
}

/**
 * Checks the sources of reference prices of a file: the exchanges, packages and files that they
 * name, and their parameters. Connects nothing.
 */
export async function checkReferenceFile(deps: {
  readonly config: BotConfig;
  readonly runtime: Runtime;
  readonly log: Log;
}): Promise<ReferenceFileCheck> {
  const sources: PreparedSource[] = [];
  const findings: Finding[] = [];
  const used = usedSourceNames(deps.config);
  for (const name of Object.keys(deps.config.references ?? {})) {
    const subject = `references.${name}`;
    if (!used.includes(name)) {
      findings.push({ level: "warning", subject, text: "no market uses it" });
      continue;
    }
    try {
      const source = await prepareSource(name, deps);
      if (source === undefined) {
        const text = "the exchange's own index price, which comes with the bot's streams";
        findings.push({ level: "ok", subject, text });
        continue;
      }
      sources.push(source);
      for (const { file, line, name: use, advice } of source.warnings)
        findings.push({
          level: "warning",
          subject,
          text: `${file}:${line} uses ${use}, which a test cannot control: ${advice}`,
        });
    } catch (error) {
      if (!(error instanceof MarketwrightError)) throw error;
      findings.push({ level: "error", subject: error.field ?? subject, text: error.message });
    }
  }
  return { sources, findings };
}

/** Inputs of {@link checkReferencePrices}. */
export interface ReferenceCheck {
  readonly config: BotConfig;
  readonly sources: readonly PreparedSource[];
  readonly instruments: ReadonlyMap<MarketId, Instrument>;
  readonly client: RestClient;
  readonly runtime: Runtime;
  /** Exchange time, once its clock was read. */
  readonly exchangeNowMs: () => Ms;
  /** Opens the chain, for sources that are read through it. */
  readonly openChain: () => ChainRpc;
  /** Longest wait for a price with both sides. */
  readonly withinMs: Ms;
}

/**
 * Connects every source until it has sent a price with both sides. Returns one finding each: the
 * price, its age by its own time, and its distance from the mid of each market that uses it; or the
 * reason why no price came.
 */
export async function checkReferencePrices(check: ReferenceCheck): Promise<Finding[]> {
  const { sources, openChain } = check;
  if (sources.length === 0) return [];
  const mids = await readMids(check);
  const chain = sources.some(({ needsChain }) => needsChain) ? openChain() : undefined;
  try {
    return await Promise.all(
      sources.map(async (source) => {
        const first = await firstPrice(source.open(chain), check);
        return toFinding(source.name, first, mids, check);
      }),
    );
  } finally {
    await chain?.close();
  }
}

/** The first price with both sides, or the last reason why there was none. */
type First =
  | { readonly price: SourcePrice; readonly afterMs: Ms; readonly atMs: Ms }
  | { readonly reason: string };

function firstPrice(
  source: PriceSource,
  { runtime: { clock }, exchangeNowMs, withinMs }: ReferenceCheck,
): Promise<First> {
  const startMs = clock.monotonicMs();
  return new Promise((resolve) => {
    let reason = "it sent nothing";
    const timer = clock.setTimer(withinMs, () => end({ reason }));
    const end = (first: First): void => {
      timer.cancel();
      // A source may send before the subscription is known here.
      clock.setTimer(0, () => subscription.unsubscribe());
      resolve(first);
    };
    const onMessage = (message: PriceMessage): void => {
      if (message.type === "down") reason = message.reason;
      else if (message.bid > 0 && message.ask > 0)
        end({ price: message, afterMs: clock.monotonicMs() - startMs, atMs: exchangeNowMs() });
      else reason = `its price has one side: bid ${message.bid}, ask ${message.ask}`;
    };
    const subscription = source.subscribe({
      next: onMessage,
      error: (error: unknown) => end({ reason: describeThrown(error) }),
    });
  });
}

function toFinding(
  name: string,
  first: First,
  mids: ReadonlyMap<MarketId, number>,
  check: ReferenceCheck,
): Finding {
  const { config, withinMs } = check;
  const subject = `references.${name}`;
  if ("reason" in first)
    return { level: "error", subject, text: `no price within ${withinMs} ms: ${first.reason}` };
  const { bid, ask, timeMs } = first.price;
  const multiplier = config.references?.[name].multiplier ?? 1;
  const mid = ((bid + ask) / 2) * multiplier;
  const factor = multiplier === 1 ? "" : ` times ${multiplier}`;
  const parts = [`bid ${bid}, ask ${ask}${factor} after ${Math.round(first.afterMs)} ms`];
  if (timeMs !== undefined) parts.push(ageText(first.atMs - timeMs));
  for (const marketId of marketsOf(config, name)) {
    const marketMid = mids.get(marketId);
    if (marketMid === undefined) continue;
    const bps = (10_000 * (mid - marketMid)) / marketMid;
    parts.push(`${Math.abs(bps).toFixed(1)} bps ${bps < 0 ? "below" : "above"} ${marketId}'s mid`);
  }
  const text = parts.join(", ");
  if (bid > ask) return { level: "warning", subject, text: `${text}: the price is crossed` };
  for (const marketId of marketsOf(config, name)) {
    const why = findObjection(name, first, { marketId, mid: mids.get(marketId) }, check);
    if (why !== undefined)
      return {
        level: "error",
        subject,
        text: `${text}: ${marketId} would not count it, it ${why}`,
      };
  }
  return { level: "ok", subject, text };
}

/** Why a market of a run would not count the price, were it alone; undefined if it would. */
function findObjection(
  source: string,
  { price, atMs }: Extract<First, { readonly price: unknown }>,
  { marketId, mid }: { readonly marketId: MarketId; readonly mid: number | undefined },
  { config, instruments }: ReferenceCheck,
): string | undefined {
  const instrument = instruments.get(marketId);
  const { [marketId]: market } = config.markets;
  if (market.reference === undefined || instrument === undefined) return undefined;
  const reference = { ...market.reference, from: [source], minSources: 1 };
  const markets = { [marketId]: { ...market, reference } };
  const used = referenceFor({ markets, references: config.references }, instrument);
  const now = { monotonicMs: 0, exchangeMs: atMs };
  used?.price.note({ type: "price", ...price, source, heldMs: 0 }, now.monotonicMs);
  used?.price.observeMid(mid === undefined ? undefined : mid / instrument.tickQuote, now);
  return used?.price.reading(now).readings[0].leftOut;
}

function ageText(ageMs: Ms): string {
  const ms = Math.round(Math.abs(ageMs));
  return ageMs >= 0
    ? `${ms} ms old by its own clock`
    : `its clock is ${ms} ms ahead of the exchange's`;
}

function marketsOf({ markets }: BotConfig, name: string): MarketId[] {
  return Object.keys(markets).filter((marketId) =>
    markets[marketId].reference?.from.some(
      (one) => (typeof one === "string" ? one : one.source) === name,
    ),
  );
}

/** The mids of the markets, in quote units; those with two sides. */
async function readMids({
  config,
  client,
  instruments,
}: ReferenceCheck): Promise<Map<MarketId, number>> {
  const mids = new Map<MarketId, number>();
  for (const marketId of Object.keys(config.markets)) {
    const instrument = instruments.get(marketId);
    if (config.markets[marketId].reference === undefined || instrument === undefined) continue;
    const { bids, asks } = await client.orderbook(marketId, 10);
    if (bids.length > 0 && asks.length > 0)
      mids.set(marketId, ((bids[0] + asks[0]) / 2) * instrument.tickQuote);
  }
  return mids;
}
