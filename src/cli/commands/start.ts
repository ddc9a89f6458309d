import { resolve } from "node:path";
import { z } from "zod";
import { type BotConfig, loadBotConfig } from "../../bot/config/config.js";
import type { RunSummary } from "../../bot/run/monitor/run-summary.js";
import { ConfigError } from "../../core/errors.js";
import { shellWord } from "../../core/files/shell-word.js";
import { requireInstalled } from "../../core/optional-part.js";
import { packageFile } from "../../core/package-files.js";
import type { Ms } from "../../core/units.js";
import type { CliContext } from "../cli-context.js";
import { parseDuration } from "../duration.js";
import { exchangeParts } from "../exchange-parts.js";
import { type ExchangePorts, parsePort, withPorts } from "../exchange-ports.js";
import { loadExchangeConfig } from "../load-exchange-config.js";
import { rejectOnAbort, untilInterrupted } from "../process/until-interrupted.js";
import { type Companion, startCompanion } from "../session/companion.js";
import { reportRunEnd } from "../session/report-run-end.js";
import { createFreshAccount } from "../start/start-account.js";
import { startCompetitor } from "../start/start-competitor.js";
import {
  atHedgeExchange,
  hedgeExchangeArgs,
  hedgeKeyEnv,
  readStartedHedgeExchange,
  requireHedge,
  type StartedHedgeExchange,
} from "../start/start-hedge-exchange.js";
import { lockStartAddress } from "../start/start-lock.js";

export interface StartCommandOptions extends ExchangePorts {
  readonly exchange?: string;
  readonly competitor?: string;
  readonly hedgeExchange?: string;
  readonly hedgePort?: string;
  readonly hedgeDialectPort?: string;
  readonly metricsPort?: string;
  readonly cockpitPort?: string;
  readonly for?: string;
  readonly json?: boolean;
  readonly screen: boolean;
}

/** Addresses of an exchange, from its first line. */
const startedSchema = z.object({
  restUrl: z.string(),
  streamUrl: z.string(),
  chain: z.object({ rpcUrl: z.string().nullable() }).optional(),
});

type StartedExchange = z.output<typeof startedSchema>;

/** Everything that was started before the bot. */
interface StartedExchanges {
  readonly exchange: StartedExchange;
  readonly hedge: StartedHedgeExchange | undefined;
}

/** Starts the exchange, a bot and its guard, and stops all three. */
export async function startCommand(
  context: CliContext,
  file: string | undefined,
  options: StartCommandOptions,
): Promise<void> {
  const forMs = options.for === undefined ? undefined : parseDuration(options.for, "--for");
  const botFile = resolve(file ?? packageFile("config/bot.yaml"));
  const exchangeFile = resolve(options.exchange ?? packageFile("config/exchange.yaml"));
  const exchangeConfig = withPorts(loadExchangeConfig(exchangeFile), options);
  requireInstalled(exchangeParts(exchangeConfig));
  const competitorFile = options.competitor === undefined ? undefined : resolve(options.competitor);
  const hedgeFile =
    options.hedgeExchange === undefined ? undefined : resolve(options.hedgeExchange);
  if (hedgeFile !== undefined) loadExchangeConfig(hedgeFile);
  const load = (path: string, started?: StartedExchanges): BotConfig =>
    loadBotConfig(path, context.env, {
      key: "unused",
      change: (written) => atStarted(written, options, started),
    });
  const loaded = load(botFile);
  // A fault in its file is reported before anything starts.
  if (competitorFile !== undefined) load(competitorFile);
  if (hedgeFile !== undefined) requireHedge(loaded);
  const unlock = await lockStartAddress(context, exchangeConfig);
  try {
    await startAll(context, {
      botFile,
      competitorFile,
      exchangeFile,
      hedgeFile,
      forMs,
      loaded,
      load,
      options,
    });
  } finally {
    unlock();
  }
}

interface StartPlan {
  readonly botFile: string;
  readonly competitorFile: string | undefined;
  readonly exchangeFile: string;
  readonly hedgeFile: string | undefined;
  readonly forMs: Ms | undefined;
  readonly loaded: BotConfig;
  /** Loads a bot's file with the addresses of the started exchanges. */
  readonly load: (path: string, started: StartedExchanges) => BotConfig;
  readonly options: StartCommandOptions;
}

async function startAll(
  context: CliContext,
  { botFile, competitorFile, exchangeFile, hedgeFile, forMs, loaded, load, options }: StartPlan,
): Promise<void> {
  const { env, store, keyPath, finish } = await createFreshAccount(context, loaded);
  context.stderr.write(`a fresh account for this start; its key is in ${keyPath}\n`);
  const { clock } = context.runtime;
  const companions: Companion[] = [];
  let summary: RunSummary | undefined;
  const starting: Promise<string>[] = [];
  const start = (name: string, args: readonly string[]): Promise<string> => {
    const started = begin(name, args);
    starting.push(started);
    return started;
  };
  const begin = async (name: string, args: readonly string[]): Promise<string> => {
    const { companion, firstLine } = await startCompanion({
      name,
      script: context.script,
      args,
      env,
      logFile: store.pathFor(`${name}.log`),
      clock,
    });
    companions.unshift(companion);
    return firstLine;
  };
  try {
    // The bot's modules are loaded while the exchange opens, not before.
    const opened = start("exchange", ["exchange", exchangeFile, ...portArgs(options), "--json"]);
    const hedgeOpened =
      hedgeFile === undefined
        ? undefined
        : start("hedge-exchange", hedgeExchangeArgs(hedgeFile, options));
    const [where, hedgeWhere, { runSession }] = await untilInterrupted(
      context,
      "nothing was traded",
      (signal) =>
        rejectOnAbort(
          signal,
          Promise.all([opened, hedgeOpened, import("../session/run-session.js")]),
        ),
    );
    const exchange = startedSchema.parse(JSON.parse(where));
    const hedge = hedgeWhere === undefined ? undefined : readStartedHedgeExchange(hedgeWhere);
    const started = { exchange, hedge };
    const config = load(botFile, started);
    requireSameExchange(exchange, config);
    if (competitorFile !== undefined) {
      const competitor = load(competitorFile, started);
      requireSameExchange(exchange, competitor);
      companions.unshift(await startCompetitor(context, competitor));
    }
    const guard = start("guard", ["guard", botFile, "--rest", exchange.restUrl, "--json"]).then(
      () => {},
    );
    // A session that ends before it awaits the guard reports its own error.
    guard.catch(() => {});
    const screen = options.screen && options.json !== true;
    const cancelCommand = `${config.account.keyEnv}=$(cat ${shellWord(keyPath)}) marketwright cancel-all ${shellWord(botFile)}`;
    const session = {
      config,
      forMs,
      dryRun: false,
      screen,
      companions,
      beside: guard,
      cancelCommand,
    };
    const hedgeEnv = hedge === undefined ? {} : hedgeKeyEnv(config, hedge);
    summary = await runSession({ ...context, env: { ...env, ...hedgeEnv } }, session);
    reportRunEnd(context, summary, { file: botFile, dryRun: false, json: options.json });
  } finally {
    finish(summary);
    // A companion that is still starting would be left behind.
    await Promise.allSettled(starting);
    for (const companion of companions) await companion.stop();
  }
}

function portArgs({ port, rpcPort }: StartCommandOptions): readonly string[] {
  return [
    ...(port === undefined ? [] : ["--port", port]),
    ...(rpcPort === undefined ? [] : ["--rpc-port", rpcPort]),
  ];
}

/**
 * The settings of the bot's file, with the ports of the command line. @throws ConfigError for an
 * invalid port
 */
function atStarted(
  written: unknown,
  { port, rpcPort, metricsPort, cockpitPort }: StartCommandOptions,
  { exchange: started, hedge }: Partial<StartedExchanges> = {},
): unknown {
  const metrics = metricsPort === undefined ? undefined : parsePort("--metrics-port", metricsPort);
  const cockpit = cockpitPort === undefined ? undefined : parsePort("--cockpit-port", cockpitPort);
  if (!isMap(written)) return written;
  const { exchange, chain } = written;
  return {
    ...written,
    ...(hedge === undefined ? {} : atHedgeExchange(written, hedge)),
    ...(metrics === undefined ? {} : { metrics: { ...mapOf(written.metrics), port: metrics } }),
    ...(cockpit === undefined ? {} : { cockpit: { ...mapOf(written.cockpit), port: cockpit } }),
    ...(port === undefined || started === undefined
      ? {}
      : { exchange: { ...mapOf(exchange), rest: started.restUrl, stream: started.streamUrl } }),
    ...(rpcPort === undefined || typeof started?.chain?.rpcUrl !== "string" || !isMap(chain)
      ? {}
      : { chain: { ...chain, rpc: [started.chain.rpcUrl] } }),
  };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
}

function requireSameExchange(
  { restUrl, streamUrl }: StartedExchange,
  { exchange }: BotConfig,
): void {
  if (restUrl === exchange.rest && streamUrl === exchange.stream) return;
  throw new ConfigError("does not name the exchange that was started", {
    field: "exchange.rest, exchange.stream",
    value: `${exchange.rest}, ${exchange.stream}`,
    expected: `${restUrl}, ${streamUrl}`,
  });
}
