import { usedSources } from "../../../backtest/config/played-references.js";
import { createAccountSigner, readAccountKey } from "../../../bot/config/account-key.js";
import { type BotConfig, loadBotConfig } from "../../../bot/config/config.js";
import { StartupRetrier } from "../../../bot/run/check/startup-retrier.js";
import type { Signer } from "../../../core/crypto/signing.js";
import { describeThrown } from "../../../core/describe-thrown.js";
import { ConfigError } from "../../../core/errors.js";
import { loadOptional } from "../../../core/optional-part.js";
import type { Runtime } from "../../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../../core/units.js";
import { type Recorded, recordMarket } from "../../../history/record/record-market.js";
import { ReferenceRecorders } from "../../../history/record/reference-recorders.js";
import type { SealedKind } from "../../../history/record/seal-part.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import { openLog } from "../../../monitoring/log.js";
import type { ReferenceUpdate } from "../../../reference/reference-update.js";
import type { CliContext } from "../../cli-context.js";
import { parseDuration } from "../../duration.js";
import { openExchange, withExchange } from "../../exchange-access.js";
import { jsonText } from "../../process/output.js";
import { untilInterrupted } from "../../process/until-interrupted.js";

export interface RecordCommandOptions {
  readonly exchange: string;
  readonly market: string;
  readonly for?: string;
  readonly own?: boolean;
  readonly keyEnv?: string;
  readonly store: string;
  readonly json?: boolean;
}

/**
 * Connects the sources of reference prices that a market uses.
 * @param accept receives each message, as a bot would
 */
export type OpenReferences = (
  config: BotConfig,
  market: MarketId,
  accept: (update: ReferenceUpdate) => void,
) => Promise<{ close(): void }>;

/** Longest wait for an exchange that is not from a bot's file. */
const CONNECT_WITHIN_MS: Ms = 20_000;

/**
 * Records a market into the store until its time is over or a signal arrives. With a bot's file it
 * records the sources of the market's reference price too.
 */
export async function dataRecordCommand(
  context: CliContext,
  options: RecordCommandOptions,
  openReferences?: OpenReferences,
): Promise<void> {
  const { market, json } = options;
  const store = new HistoryStore(options.store);
  const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
  await loadOptional("@duckdb/node-api");
  const config = /\.ya?ml$/.test(options.exchange)
    ? loadBotConfig(
        options.exchange,
        context.env,
        options.own === true ? undefined : { key: "unused" },
      )
    : undefined;
  const signer = signerOf(options, config, context);
  const rest = config?.exchange.rest ?? options.exchange;
  const field = config === undefined ? "--exchange" : undefined;
  const stream = config?.exchange.stream ?? rest.replace(/^http/, "ws");
  const withinMs = config?.exchange.connectWithinMs ?? CONNECT_WITHIN_MS;
  await withExchange(openExchange(context, { rest, field, stream, signer }), async (access) => {
    const onState = (text: string): void => void context.stderr.write(`marketwright: ${text}\n`);
    const rules = await untilInterrupted(context, "nothing was recorded", (signal) => {
      const log = openLog({ level: "warn", clock: context.runtime.clock });
      const reads = new StartupRetrier(context.runtime.clock, log, {
        rest,
        withinMs,
        signal,
        onWait: onState,
      });
      return reads
        .untilAnswered(() => access.client.exchangeInfo([market]))
        .finally(() => log.close());
    });
    if (rules.markets[market] === undefined) {
      throw new ConfigError("is not a market of this exchange", {
        field: "--market",
        value: market,
        expected: `one of ${Object.keys(rules.markets).join(", ")}`,
      });
    }
    if (signer !== undefined) await access.syncClock();
    const sources = config === undefined ? [] : outsideSources(config, market);
    if (sources.length > 0 && openReferences === undefined)
      onState(`the sources of its reference price are not recorded: ${sources.join(", ")}`);
    const end = ended(context, forMs);
    const recordMarketAlone = () =>
      recordMarket({
        store,
        market,
        rules,
        readRules: () => access.client.exchangeInfo([market]),
        address: rest,
        transport: access.transport,
        runtime: context.runtime,
        exchangeNowMs: () => context.runtime.clock.nowMs() + access.clockOffsetMs(),
        ...(signer === undefined
          ? {}
          : {
              own: {
                signer,
                account: config?.account.address ?? signer.address,
                syncClock: access.syncClock,
              },
            }),
        until: end.until,
        onState,
      }).finally(end.cancel);
    const recorded =
      config === undefined || openReferences === undefined
        ? await recordMarketAlone()
        : await withReferences(recordMarketAlone, {
            store,
            sources,
            runtime: context.runtime,
            open: (accept) => openReferences(config, market, accept),
            onState,
          });
    context.stdout.write(json === true ? jsonText(recorded, 2) : recordedText(recorded));
  });
}

/**
 * The account whose orders and fills are recorded; none by default. @throws ConfigError for options
 * that exclude each other, or an invalid key
 */
function signerOf(
  { own, keyEnv }: RecordCommandOptions,
  config: BotConfig | undefined,
  { env }: CliContext,
): Signer | undefined {
  if (own === true && config === undefined) {
    throw new ConfigError("needs a bot's file", {
      field: "--own",
      expected: "--exchange with a bot's file, or --key-env with the name of the key's variable",
    });
  }
  if (keyEnv !== undefined)
    return createAccountSigner(config?.account ?? { keyEnv }, readAccountKey({ keyEnv }, env));
  return own === true && config !== undefined
    ? createAccountSigner(config.account, readAccountKey(config.account, env))
    : undefined;
}

/**
 * Resolves when the time is over, or the user stops it. After an earlier end of the recording, call
 * `cancel`.
 */
function ended(
  { runtime, interrupted }: CliContext,
  forMs: Ms | undefined,
): { readonly until: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => {};
  const until = new Promise<void>((resolve) => {
    const timer = forMs === undefined ? undefined : runtime.clock.setTimer(forMs, resolve);
    cancel = () => timer?.cancel();
    interrupted().then(() => {
      cancel();
      resolve();
    });
  });
  return { until, cancel };
}

/** The sources outside the exchange that a market's reference price uses. */
function outsideSources(config: BotConfig, market: MarketId): readonly string[] {
  return [...usedSources(config, [market])].filter(
    (source) => config.references?.[source]?.index === undefined,
  );
}

/** Options of {@link withReferences}. */
interface ReferencesToRecord {
  readonly store: HistoryStore;
  readonly sources: readonly string[];
  readonly runtime: Runtime;
  readonly open: (accept: (update: ReferenceUpdate) => void) => Promise<{ close(): void }>;
  readonly onState: (text: string) => void;
}

/** The recording of a market, and of the sources of its reference price. */
interface RecordedWithReferences extends Recorded {
  readonly references?: readonly (SealedKind & { readonly source: string })[];
}

/**
 * Records sources while a market is recorded.
 * @throws as both do, once both have ended
 */
async function withReferences(
  recordMarketAlone: () => Promise<Recorded>,
  { store, sources, runtime, open, onState }: ReferencesToRecord,
): Promise<RecordedWithReferences> {
  if (sources.length === 0) return recordMarketAlone();
  const recorders = await ReferenceRecorders.open({
    store,
    sources,
    runtime,
    onSealFailed: (error) =>
      onState(`a day could not be stored and stays staged: ${describeThrown(error)}`),
    onFailed: (error) =>
      onState(`reference prices are no longer recorded: ${describeThrown(error)}`),
  });
  const recording = open((update) => recorders.record(update)).then(async (live) => {
    try {
      return await recordMarketAlone();
    } finally {
      live.close();
    }
  });
  const [market, references] = await recording.then(
    async (recorded) => [recorded, await recorders.close()] as const,
    async (error: unknown) => {
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

function recordedText({ kinds, references = [] }: RecordedWithReferences): string {
  const all = [
    ...kinds.map((sealed) => ({ name: sealed.kind, ...sealed })),
    ...references.map((sealed) => ({ name: `${sealed.kind} ${sealed.source}`, ...sealed })),
  ];
  const lines = all.flatMap(({ name, rows, days }) => [
    `${name}: ${rows} rows, ${days.map(({ day }) => day).join(", ")}`,
    ...[...new Set(days.flatMap(({ findings }) => findings))].map((finding) => `  ${finding}`),
  ]);
  return lines.length === 0 ? "nothing was received\n" : `${lines.join("\n")}\n`;
}
