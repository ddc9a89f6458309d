import { createAccountSigner, readAccountKey } from "../../../bot/config/account-key.js";
import { type BotConfig, loadBotConfig } from "../../../bot/config/config.js";
import { StartupRetrier } from "../../../bot/run/check/startup-retrier.js";
import type { Signer } from "../../../core/crypto/signing.js";
import { ConfigError } from "../../../core/errors.js";
import { loadOptional } from "../../../core/optional-part.js";
import type { Ms } from "../../../core/units.js";
import { recordMarket } from "../../../history/record/record-market.js";
import { HistoryStore } from "../../../history/store/history-store.js";
import { openLog } from "../../../monitoring/log.js";
import type { CliContext } from "../../cli-context.js";
import { parseDuration } from "../../duration.js";
import { openExchange, withExchange } from "../../exchange-access.js";
import { jsonText } from "../../process/output.js";
import { untilInterrupted } from "../../process/until-interrupted.js";
import { type RecordedWithReferences, recordWithReferences } from "./record-references.js";

export interface RecordCommandOptions {
  readonly exchange: string;
  readonly market: string;
  readonly for?: string;
  readonly own?: boolean;
  readonly keyEnv?: string;
  readonly store: string;
  readonly json?: boolean;
}

/** Longest wait for an exchange that is not from a bot's file. */
const CONNECT_WITHIN_MS: Ms = 20_000;

/**
 * Records a market into the store until its time is over or a signal arrives. With a bot's file it
 * records the sources of the market's reference price too.
 */
export async function dataRecordCommand(
  context: CliContext,
  options: RecordCommandOptions,
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
  const log = openLog({ level: "warn", clock: context.runtime.clock });
  const exchange = openExchange(context, { rest, field, stream, signer });
  const recording = withExchange(exchange, async (access) => {
    const onState = (text: string): void => void context.stderr.write(`marketwright: ${text}\n`);
    const rules = await untilInterrupted(context, "nothing was recorded", (signal) => {
      const reads = new StartupRetrier(context.runtime.clock, log, {
        rest,
        withinMs,
        signal,
        onWait: onState,
      });
      return reads.untilAnswered(() => access.client.exchangeInfo([market]));
    });
    if (rules.markets[market] === undefined) {
      throw new ConfigError("is not a market of this exchange", {
        field: "--market",
        value: market,
        expected: `one of ${Object.keys(rules.markets).join(", ")}`,
      });
    }
    if (signer !== undefined) await access.syncClock();
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
      config === undefined
        ? await recordMarketAlone()
        : await recordWithReferences(context, recordMarketAlone, {
            config,
            market,
            store,
            rules,
            log,
            exchangeNowMs: () => context.runtime.clock.nowMs() + access.clockOffsetMs(),
            onState,
          });
    context.stdout.write(json === true ? jsonText(recorded, 2) : recordedText(recorded));
  });
  await recording.finally(() => log.close());
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
