import type { BotConfig } from "../../../bot/config/config.js";
import { usedSourceNames } from "../../../bot/market/used-reference.js";
import { openFeedChain, readRpcUrls } from "../../../bot/run/chain-access.js";
import { LiveReferences } from "../../../bot/run/references/live-references.js";
import { prepareSources } from "../../../bot/run/references/prepare-sources.js";
import { describeThrown } from "../../../core/describe-thrown.js";
import type { MarketId, Ms } from "../../../core/units.js";
import type { VenueRules } from "../../../exchange/records.js";
import type { Recorded } from "../../../history/record/record-market.js";
import { ReferenceRecorders } from "../../../history/record/reference-recorders.js";
import type { SealedKind } from "../../../history/record/seal-part.js";
import type { HistoryStore } from "../../../history/store/history-store.js";
import type { Log } from "../../../monitoring/log.js";
import type { ReferenceUpdate } from "../../../reference/reference-update.js";
import type { CliContext } from "../../cli-context.js";

/** The recording of a market, and of the sources of its reference price. */
export interface RecordedWithReferences extends Recorded {
  readonly references?: readonly (SealedKind & { readonly source: string })[];
}

/** Options of {@link recordWithReferences}. */
export interface ReferencesToRecord {
  readonly config: BotConfig;
  readonly market: MarketId;
  readonly store: HistoryStore;
  readonly rules: VenueRules;
  readonly log: Log;
  /** Exchange time, by which the chain's blocks are judged. */
  readonly exchangeNowMs: () => Ms;
  /** Receives lines for people. */
  readonly onState: (text: string) => void;
}

/**
 * Records the sources outside the exchange of a market's reference price while the market is
 * recorded.
 * @throws ConfigError or RunError for a source that cannot be used, and what the recording of the
 * market throws, once both have ended
 */
export async function recordWithReferences(
  context: CliContext,
  recordMarketAlone: () => Promise<Recorded>,
  options: ReferencesToRecord,
): Promise<RecordedWithReferences> {
  const { store, onState } = options;
  const config = withMarketAlone(options.config, options.market);
  const sources = usedSourceNames(config).filter(
    (source) => config.references?.[source].index === undefined,
  );
  if (sources.length === 0) return recordMarketAlone();
  const recorders = await ReferenceRecorders.open({
    store,
    sources,
    runtime: context.runtime,
    onSealFailed: (error) =>
      onState(`a day could not be stored and stays staged: ${describeThrown(error)}`),
    onFailed: (error) =>
      onState(`reference prices are no longer recorded: ${describeThrown(error)}`),
  });
  const accept = (update: ReferenceUpdate) => recorders.record(update);
  const recording = connectSources(context, { ...options, config }, accept).then(async (live) => {
    try {
      return await recordMarketAlone();
    } finally {
      live.close();
    }
  });
  const [market, references] = await recording.then(
    async (recorded) => [recorded, await recorders.close()] as const,
    async (error: unknown) => {
      // The first error is the one to report.
      await recorders.close().catch(() => undefined);
      throw error;
    },
  );
  return {
    ...market,
    references: [...references].flatMap(([source, kinds]) =>
      kinds.map((kind) => ({ source, ...kind })),
    ),
  };
}

/** The config without its other markets, whose sources are not wanted. */
function withMarketAlone(config: BotConfig, market: MarketId): BotConfig {
  const { [market]: wanted } = config.markets;
  return { ...config, markets: wanted === undefined ? {} : { [market]: wanted } };
}

/** Connects the sources of a config, as a run does. */
async function connectSources(
  { runtime, env }: CliContext,
  { config, rules, log, exchangeNowMs, onState }: ReferencesToRecord,
  accept: (update: ReferenceUpdate) => void,
): Promise<LiveReferences> {
  const rpcs = config.chain === undefined ? undefined : readRpcUrls(config.chain, env);
  const live = new LiveReferences({
    sources: await prepareSources({ config, runtime, log }),
    clock: runtime.clock,
    openChain: () => openFeedChain({ config, runtime, rpcs }, rules, exchangeNowMs),
    accept,
    write: (_level, text, { reason }) =>
      onState(reason === undefined ? text : `${text}: ${String(reason)}`),
  });
  live.start();
  return live;
}
