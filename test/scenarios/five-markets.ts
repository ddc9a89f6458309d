import { CancelBudget } from "#bot/cancel-budget.js";
import { type CancelReport, cancelEverything } from "#bot/cancel-everything.js";
import { Guard, type GuardEvent } from "#bot/guard.js";
import { HEARTBEAT_FILE, type Heartbeat } from "#bot/heartbeat.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { seededRandom } from "#core/seeded-random.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { RestClient } from "#exchange/rest-client.js";
import { rulesOf } from "#simulation/bot-rig.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { HandTrader } from "./hand-trader.js";
import { ScriptedNetwork } from "./scripted-network.js";
import { BOT_KEY, START_MS } from "./stage.js";

/** In the order of the bot's file. */
export const FIVE = ["aausdc", "bbusdc", "ccusdc", "ddusdc", "eeusdc"];
const SIGNATURE_WINDOW_MS: Ms = 5_000;
const DEAD_AFTER_MS: Ms = 3_000;

/**
 * Five markets with an order of the account in each; the bot that placed them is gone, and left its
 * heartbeat.
 */
export class FiveMarkets {
  readonly clock = new VirtualClock(START_MS);
  readonly exchange: EmbeddedExchange;
  readonly network: ScriptedNetwork;
  readonly notices: GuardEvent[] = [];
  readonly #store = new MemoryStateStore();
  readonly #signer = ecdsaScheme.signer(BOT_KEY);
  readonly #traders = new Map<string, HandTrader>();

  constructor(rateLimits: Record<string, unknown> = {}) {
    const config = parseExchangeConfig({
      markets: Object.fromEntries(FIVE.map((marketId) => [marketId, {}])),
      rateLimits: { key: "ip", ...rateLimits },
    });
    this.exchange = new EmbeddedExchange(config, {
      clock: this.clock,
      random: seededRandom("exchange"),
    });
    this.exchange.start();
    this.network = new ScriptedNetwork(this.exchange, this.clock, "10.0.0.2");
    for (const marketId of FIVE) this.arrives(marketId);
    this.beats("running");
  }

  /** A bot writes its heartbeat. */
  beats(state: Heartbeat["state"]): void {
    const nowMs = this.clock.nowMs();
    const beat: Heartbeat = { atMs: nowMs, lastRequestMs: nowMs, state, markets: FIVE, pid: 1 };
    this.#store.write(HEARTBEAT_FILE, JSON.stringify(beat));
  }

  /** Overwrites the heartbeat with a text that is not a heartbeat. */
  beatBreaks(): void {
    this.#store.write(HEARTBEAT_FILE, "{");
  }

  /** An order of the account comes into a market. */
  arrives(marketId: string): void {
    const trader =
      this.#traders.get(marketId) ??
      new HandTrader(
        this.exchange,
        this.clock,
        this.#signer,
        marketId,
        `10.0.1.${FIVE.indexOf(marketId)}`,
      );
    this.#traders.set(marketId, trader);
    trader.rests("BUY", 10, 590_000);
  }

  /** Markets in which something of the account's is open. */
  open(): readonly string[] {
    return this.exchange.openOrders(this.#signer.address).map(({ terms }) => terms.market.id);
  }

  /** The number of requests that the exchange refused for its rate limit. */
  refusals(): number {
    return this.network.sent.filter(({ status }) => status === 429 || status === 418).length;
  }

  /** The time by which this machine's clock is ahead of the exchange's, until it is synced. */
  aheadMs: Ms = 0;

  /**
   * Starts the guard, which begins to cancel at once: the heartbeat is old.
   * @param fraction of the exchange's limits that are its own.
   */
  async guardActs(markets: readonly string[] = FIVE, fraction = 0.1): Promise<void> {
    const budget = new CancelBudget({ clock: this.clock, fraction });
    budget.rulesRead(rulesOf(this.exchange, FIVE));
    new Guard({
      client: this.#client(),
      clock: this.clock,
      syncClock: () => {
        this.aheadMs = 0;
      },
      budget,
      store: this.#store,
      account: this.#signer.address,
      markets,
      deadAfterMs: DEAD_AFTER_MS,
      heartbeatMs: 250,
      signatureWindowMs: SIGNATURE_WINDOW_MS,
      notify: (notice) => this.notices.push(notice),
    }).start();
    await this.passes(DEAD_AFTER_MS + 300);
  }

  /** Cancels everything as `cancel-all` does, after the bot. */
  cancelsAll(markets: readonly string[] = FIVE): Promise<CancelReport> {
    return cancelEverything({
      client: this.#client(),
      clock: this.clock,
      syncClock: async () => {},
      budget: new CancelBudget({ clock: this.clock, fraction: 1 }),
      account: this.#signer.address,
      markets,
      serverBuiltHashes: new Set(),
      giveUpAfterMs: SIGNATURE_WINDOW_MS + 1_500,
      mayArriveUntilMs: START_MS + SIGNATURE_WINDOW_MS,
    });
  }

  passes(forMs: Ms): Promise<void> {
    return this.clock.runFor(forMs);
  }

  #client(): RestClient {
    return new RestClient({
      transport: this.network,
      nowMs: () => this.clock.nowMs() + this.aheadMs,
      signer: this.#signer,
      timeoutMs: 2_000,
    });
  }
}
