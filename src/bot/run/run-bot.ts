import type { Hex, Ms } from "../../core/units.js";
import type { VenueRules } from "../../exchange/records.js";
import { NetworkTransport } from "../../exchange/rest/network-transport.js";
import { RestClient } from "../../exchange/rest/rest-client.js";
import type { HedgeVenue } from "../../hedge/hedge-venue.js";
import type { Log } from "../../monitoring/log.js";
import { Metrics } from "../../monitoring/metrics.js";
import { createAccountSigner } from "../config/account-key.js";
import type { BotConfig } from "../config/config.js";
import { checkOnGrid } from "../config/config-grid.js";
import { usedSourceNames } from "../market/used-reference.js";
import { isHaltFile } from "../state/manual-halt-store.js";
import { MemoryStateStore, type StateStore } from "../state/state-dir.js";
import { assembleBot, CONNECTIONS } from "./assemble-bot.js";
import { readChainGenesis } from "./chain-access.js";
import { readAccountCreation, register } from "./check/registration.js";
import { StartupRetrier } from "./check/startup-retrier.js";
import { adoptExchangeInstance } from "./exchange-instance.js";
import { bindStrategies, loadStrategies, strategyFiles } from "./market-strategies.js";
import { type PreparedSource, prepareSources } from "./references/prepare-sources.js";
import type { RunBotOptions, RunningBot } from "./running-bot.js";
import { readDecidingState } from "./session-journal.js";
import { TimestampedTransport } from "./timestamped-transport.js";
import { withLiquidator } from "./with-liquidator.js";

/**
 * Starts a bot on the live exchange: reads its clock and rules, registers a new account, loads the
 * strategies, checks sizes against the grid, then opens the streams. A failure with a passing cause
 * is retried ({@link StartupRetrier}).
 * @throws ConfigError for errors in the configuration, RunError or VenueRequestError if the
 * exchange cannot be reached.
 */
export async function startBot(options: RunBotOptions): Promise<RunningBot> {
  const { config, runtime, log } = options;
  const signer = createAccountSigner(config.account, options.privateKey);
  const markets = Object.keys(config.markets);
  const loaded = await loadStrategies(config, log);
  const references = await prepareSources({ config, runtime, log, access: options.references });
  noteSources(config, references, log);
  const metrics = options.metrics ?? new Metrics();
  const network =
    options.transport ??
    new NetworkTransport({
      restUrl: config.exchange.rest,
      streamUrl: config.exchange.stream,
      clock: runtime.clock,
      connections: CONNECTIONS,
    });
  const received = new TimestampedTransport(network, runtime);
  let exchangeNowMs = (): Ms => runtime.clock.nowMs();
  const client = new RestClient({
    transport: network,
    signer,
    nowMs: () => exchangeNowMs(),
    timeoutMs: config.exchange.requestTimeoutMs,
  });
  const opened: HedgeVenue[] = [];
  try {
    const { rest, connectWithinMs: withinMs } = config.exchange;
    const reads = new StartupRetrier(
      runtime.clock,
      log,
      options.exchangeWait === undefined ? undefined : { ...options.exchangeWait, rest, withinMs },
    );
    const readClock = async (): Promise<void> => {
      const offsetMs = (await client.time()) - runtime.clock.nowMs();
      exchangeNowMs = () => runtime.clock.nowMs() + offsetMs;
    };
    await reads.untilAnswered(readClock);
    const rules = await reads.untilAnswered(() => client.exchangeInfo(markets));
    options.onRules?.(rules);
    checkOnGrid(config, rules);
    const strategies = bindStrategies(config, loaded);
    // A registration that is sent twice finds the account there.
    const { registered, isNew } = await reads.untilAnswered(() => register(client, options));
    const store = registered ? options.store : withoutAccount(options.store);
    if (registered && options.paper === undefined) {
      const createdAtMs = await readAccountCreation(
        () => reads.untilAnswered(() => client.accountCreatedAtMs()),
        log,
      );
      const genesis = await readChainGenesis(options, rules, () => exchangeNowMs());
      adoptExchangeInstance(
        { createdAtMs, genesis, isNewAccount: isNew },
        { store, log, nowMs: runtime.clock.nowMs() },
      );
    }
    const hedgeVenues = await openHedges(options, signer.address, rules);
    for (const venue of hedgeVenues.values()) opened.push(venue);
    const tap = await options.record?.({ account: signer.address, rules, registered });
    const files = strategyFiles(loaded);
    const account = signer.address;
    const running = assembleBot(
      { ...options, store },
      {
        signer,
        rules,
        strategies,
        files,
        metrics,
        client,
        syncClock: readClock,
        timestampedTransport: received,
        account,
        network,
        registered,
        sessionListener: tap,
        references,
        hedgeVenues,
      },
    );
    // Requests signed outside the bot, its last cancels too, use the bot's estimate: this machine's
    // clock may have been set by then.
    exchangeNowMs = running.exchangeNowMs;
    return await withLiquidator({ ...options, store }, running);
  } catch (error) {
    network.close();
    for (const venue of opened) venue.close();
    throw error;
  }
}

/** The hedge venues of a run that sends orders; none of one that does not. */
async function openHedges(
  { config, dryRun, log, openHedgeVenues }: RunBotOptions,
  account: Hex,
  rules: VenueRules,
): Promise<ReadonlyMap<string, HedgeVenue>> {
  const hedged = Object.keys(config.markets).filter((id) => config.markets[id].hedge !== undefined);
  if (hedged.length === 0) return new Map();
  if (dryRun === true || openHedgeVenues === undefined) {
    log.warn({ markets: hedged }, "a dry run hedges nothing: the markets quote as without a hedge");
    return new Map();
  }
  return openHedgeVenues(account, rules);
}

/** Logs the warnings about sources' files, and the names of sources that no market uses. */
function noteSources(config: BotConfig, references: readonly PreparedSource[], log: Log): void {
  for (const { name, warnings } of references)
    for (const warning of warnings)
      log.warn({ source: name, ...warning }, "the source reads time or randomness itself");
  const used = usedSourceNames(config);
  const unused = Object.keys(config.references ?? {}).filter((name) => !used.includes(name));
  if (unused.length > 0)
    log.info({ sources: unused }, "no market uses these sources of reference prices");
}

/**
 * Only the halts of a state whose account the exchange does not know: its peak and position belong
 * to an account that no longer exists.
 */
function withoutAccount(store: StateStore): StateStore {
  const halts = Object.entries(readDecidingState(store)).filter(([name]) => isHaltFile(name));
  return new MemoryStateStore(Object.fromEntries(halts));
}
