import { z } from "zod";
import type { Clock } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import { MAX_PAGE } from "../../exchange/protocol/parameters.js";
import type { VenueTrade } from "../../exchange/records.js";
import type { RestClient } from "../../exchange/rest/rest-client.js";
import type { Log } from "../../monitoring/log.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import { readJsonState, type StateStore } from "../state/state-dir.js";
import { readNewestRecorded } from "../state/trade-log.js";

/** The file in the state directory of trades that no run has reported yet, by market. */
export const MISSING_TRADES_FILE = "untold-trades.json";

/** Pause between two pages: the bot's own queries come first. */
const PAGE_EVERY_MS: Ms = 1_000;
/** Pause after a page without an answer. */
const AGAIN_MS: Ms = 10_000;
/** The share of COMMON tokens that must be available for a page to be requested. */
const SPARE_FRACTION = 0.5;

const id = z.string().regex(/^\d{1,20}$/);
const fileSchema = z.record(z.string(), z.strictObject({ afterId: id, beforeId: id }));

/** The trades between two ids, exclusive. */
type MissingTrades = z.output<typeof fileSchema>[string];

/** Dependencies of a {@link TradeBackfill}. */
export interface TradeBackfillDeps {
  readonly store: StateStore;
  readonly client: Pick<RestClient, "userTrades">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called before a query is sent, so that the bot counts it. */
  readonly onRequest: () => void;
}

/**
 * Fetches trades that were matched while no bot ran and that are older than the newest trades
 * reported at a start. It requests page after page, beside the bot's own queries and within its
 * budget, until it meets the trades that an earlier run has written. These trades do not change a
 * position: they complete the account's record. If a run ends first, the next one continues.
 */
export class TradeBackfill {
  readonly #options: TradeBackfillDeps;
  /** The newest trade that an earlier run has written, or that was before the first. */
  readonly #written: ReadonlyMap<MarketId, bigint>;
  readonly #missing: Map<MarketId, MissingTrades>;
  /** Markets whose oldest reported trade was seen. */
  readonly #met = new Set<MarketId>();
  #bot: Bot | undefined;
  #timer: { cancel(): void } | undefined;
  #isRequesting = false;

  /** Call it before the bot writes anything. @throws CorruptStateError if its file is corrupt. */
  constructor(options: TradeBackfillDeps) {
    this.#options = options;
    this.#written = readNewestRecorded(options.store);
    this.#missing = new Map(
      Object.entries(
        readJsonState(options.store, MISSING_TRADES_FILE, (value) => fileSchema.parse(value)) ?? {},
      ),
    );
  }

  attach(bot: Bot): void {
    this.#bot = bot;
  }

  /** Receives the bot's events. */
  onBotEvent(notice: BotEvent): void {
    if (notice.kind === "stopped") return this.close();
    if (notice.kind !== "account") return;
    if (notice.change.kind === "earlier-trade") this.#meets(notice.change.trade);
    else if (notice.change.kind === "reconciled") this.#goOn(0);
  }

  close(): void {
    this.#missing.clear();
    this.#timer?.cancel();
  }

  /**
   * The oldest of the newest trades: the trades between it and the last written one are missing.
   */
  #meets({ marketId, id: tradeId }: VenueTrade): void {
    // Trades arrive in ascending order.
    if (this.#met.has(marketId)) return;
    this.#met.add(marketId);
    const known = this.#missing.get(marketId);
    const written = this.#written.get(marketId);
    const oldest = BigInt(tradeId);
    if (known === undefined) {
      if (written !== undefined && oldest > written)
        this.#remember(marketId, { afterId: String(written), beforeId: tradeId });
    } else if (oldest <= BigInt(known.afterId)) this.#forget(marketId);
    // Trades that an earlier run has written beyond its own gap are requested again, but not
    // written twice.
    else if (written === undefined || oldest > written || oldest < BigInt(known.beforeId))
      this.#remember(marketId, { ...known, beforeId: tradeId });
  }

  #goOn(afterMs: Ms): void {
    if (this.#isRequesting || this.#missing.size === 0) return;
    this.#isRequesting = true;
    this.#timer = this.#options.clock.setTimer(afterMs, () => {
      void this.#page().then((againMs) => {
        this.#isRequesting = false;
        this.#goOn(againMs);
      });
    });
  }

  /** Requests one page. Returns the pause before the next one. */
  async #page(): Promise<Ms> {
    const { client, log } = this.#options;
    const bot = this.#bot;
    const [next] = this.#missing;
    if (bot === undefined || next === undefined) return PAGE_EVERY_MS;
    const { budget } = bot.context;
    if (budget.available("COMMON") < budget.limit("COMMON") * SPARE_FRACTION) return PAGE_EVERY_MS;
    const [marketId, { afterId, beforeId }] = next;
    const fromId = String(BigInt(afterId) + 1n);
    try {
      this.#options.onRequest();
      const page = await client.userTrades(marketId, fromId);
      // The bot may have stopped meanwhile, and its state directory may belong to another process.
      if (this.#missing.get(marketId) !== next[1]) return PAGE_EVERY_MS;
      this.#recordTrades(
        bot,
        marketId,
        page.filter(
          (trade) => BigInt(trade.id) > BigInt(afterId) && BigInt(trade.id) < BigInt(beforeId),
        ),
      );
      const last = page.reduce(
        (most, trade) => (BigInt(trade.id) > most ? BigInt(trade.id) : most),
        0n,
      );
      if (page.length < MAX_PAGE || last >= BigInt(beforeId) || last <= BigInt(afterId))
        this.#forget(marketId);
      else this.#remember(marketId, { afterId: String(last), beforeId });
      return PAGE_EVERY_MS;
    } catch (error) {
      log.warn(
        {
          marketId,
          fromId,
          error: error instanceof Error ? error.message : String(error),
          againInMs: AGAIN_MS,
        },
        "reading the trades of the time while no bot ran failed",
      );
      return AGAIN_MS;
    }
  }

  #recordTrades(bot: Bot, marketId: MarketId, trades: readonly VenueTrade[]): void {
    const lacked = trades.filter((trade) => bot.recordEarlierTrade(trade));
    const [first] = lacked;
    if (first === undefined) return;
    const amount = (side: VenueTrade["side"]): string => {
      let [lots, restPaper] = [0, 0n];
      for (const trade of lacked) {
        if (trade.side !== side) continue;
        lots += trade.lots;
        restPaper += trade.restPaper ?? 0n;
      }
      return (
        bot.context.traders.get(marketId)?.instrument.formatReportedAmount(lots, restPaper) ??
        String(lots)
      );
    };
    const fields = {
      fromId: first.id,
      toId: lacked.at(-1)?.id,
      bought: amount("BUY"),
      sold: amount("SELL"),
    };
    this.#options.log.warn(
      { marketId, fills: lacked.length, ...fields },
      "filled while no bot ran",
    );
  }

  #remember(marketId: MarketId, gap: MissingTrades): void {
    this.#missing.set(marketId, gap);
    this.#write();
  }

  #forget(marketId: MarketId): void {
    this.#missing.delete(marketId);
    this.#write();
    this.#options.log.info({ marketId }, "all fills of the time while no bot ran are known");
  }

  #write(): void {
    this.#options.store.write(
      MISSING_TRADES_FILE,
      JSON.stringify(Object.fromEntries(this.#missing)),
    );
  }
}
