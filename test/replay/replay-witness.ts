import type { Bot } from "#bot/bot.js";
import { decimalToScaled } from "#core/instrument.js";
import type { Hex, MarketId, Ms, Side } from "#core/units.js";
import { plainReader } from "#simulation/plain-reader.js";
import type { EmbeddedExchange, PublishedBook } from "#simulator/exchange.js";
import type { ReplayFlow } from "#simulator/replay-flow.js";
import type { TextListener } from "./listening-transport.js";

/** Capture time between two comparisons. */
export const CHECK_EVERY_MS: Ms = 10_000;

/** The bot's book against the exchange's at one sequence. */
export interface BookCheck {
  readonly captureMs: Ms;
  readonly sequence: number;
  readonly levels: number;
  readonly agrees: boolean;
}

/**
 * The bot's profit against the exchange's net value, both having seen the same trades, incomes and
 * mark.
 */
export interface SumCheck {
  readonly captureMs: Ms;
  readonly positionLots: number;
  /** Credit units, as the exchange says. */
  readonly netValueChange: bigint;
  /** The sum of the bot's parts, in the scale of its profit, and that scale. */
  readonly total: bigint;
  readonly decimals: number;
}

/**
 * Stands between an exchange that replays a capture and a bot, and compares the two as the capture
 * passes.
 */
export class ReplayWitness implements TextListener {
  readonly books: BookCheck[] = [];
  readonly sums: SumCheck[] = [];
  /** Changes of best bid plus best ask in the bot's book, by the exchange's time. */
  readonly mids: { readonly atMs: Ms; readonly midHalfTicks: number }[] = [];
  /** Halts that were seen after both sides had rested for the first time. */
  readonly halts = new Set<string>();
  /** Moments compared, and those at which the exchange itself had both sides resting. */
  sampled = 0;
  quoted = 0;
  mostLevels = 0;
  readonly #exchange: EmbeddedExchange;
  readonly #replay: ReplayFlow;
  readonly #marketId: MarketId;
  readonly #awaited: (PublishedBook & { readonly captureMs: Ms })[] = [];
  #bot: Bot | undefined;
  #account: Hex | undefined;
  #fundings = 0;
  #startNetValue = 0n;
  #booksDueMs = 0;
  #sumDueMs = Number.POSITIVE_INFINITY;

  constructor(exchange: EmbeddedExchange, replay: ReplayFlow, marketId: MarketId) {
    this.#exchange = exchange;
    this.#replay = replay;
    this.#marketId = marketId;
  }

  /** The bot runs, and has not traded yet. */
  watch(bot: Bot, account: Hex): void {
    this.#bot = bot;
    this.#account = account;
    this.#startNetValue = this.netValue();
    this.#booksDueMs = this.#nextDue();
    this.#sumDueMs = this.#booksDueMs;
    // A reader of the exchange's own: it is written to at the instant of publication, when the
    // exchange's book is what is published.
    const reader = this.#exchange.connect(
      `/v1/single/${this.#marketId}@orderbook`,
      plainReader({
        send: (text) => this.#published(text),
        ping: () => {
          if ("pong" in reader) reader.pong();
        },
      }),
    );
  }

  /** The exchange's own net value of the account, credit units. */
  netValue(): bigint {
    if (this.#account === undefined) throw new Error("no bot is watched");
    return decimalToScaled(
      this.#exchange.balances(this.#account).balances.netValue,
      this.#exchange.config.creditDecimals,
    );
  }

  /** How the exchange's net value has changed since the bot started. */
  netValueChange(): bigint {
    return this.netValue() - this.#startNetValue;
  }

  /** Looks once whether both sides rest at the exchange, and whether the bot is halted. */
  sample(): void {
    const bot = this.#bot;
    if (bot === undefined || this.#account === undefined) return;
    const open = this.#exchange.openOrders(this.#account).filter(({ openLots }) => openLots > 0);
    const rests = (side: Side): boolean => open.some((order) => order.side === side);
    this.sampled++;
    if (rests("BUY") && rests("SELL")) this.quoted++;
    if (this.quoted > 0)
      for (const { name, why } of bot.tradingGuards.halts) this.halts.add(`${name}: ${why}`);
  }

  before(_from: string, text: string): void {
    if (text.startsWith('{"event":"INCOME_UPDATE"'))
      this.#fundings += text.split('"FUNDING_FEE"').length - 1;
  }

  after(): void {
    const { traders, exchangeTime } = this.#bot?.context ?? {};
    const midHalfTicks = traders?.get(this.#marketId)?.midHalfTicks;
    if (midHalfTicks !== undefined && midHalfTicks !== this.mids.at(-1)?.midHalfTicks)
      this.mids.push({ atMs: exchangeTime?.nowMs() ?? Number.NaN, midHalfTicks });
    this.#compareBook();
    if ((this.#replay.captureMs ?? 0) >= this.#sumDueMs && this.inStep()) {
      this.sums.push(this.sum());
      this.#sumDueMs = this.#nextDue();
    }
  }

  /**
   * True when the bot has received every trade, every funding and the mark that the exchange has.
   */
  inStep(): boolean {
    const bot = this.#bot;
    const account = this.#account === undefined ? undefined : this.#exchange.account(this.#account);
    if (bot === undefined || account === undefined) return false;
    const { prices } = this.#exchange.market(this.#marketId);
    const fundings = account.incomes.page(
      { limit: 1_000 },
      ({ type }) => type === "FUNDING_FEE",
    ).length;
    return (
      bot.context.account.counts.fills ===
        (account.markets.get(this.#marketId)?.trades.length ?? 0) &&
      this.#fundings === fundings &&
      bot.context.traders.get(this.#marketId)?.state.mark === prices.mark
    );
  }

  /** The bot's profit beside the exchange's net value, now. */
  sum(): SumCheck {
    if (this.#bot === undefined) throw new Error("no bot is watched");
    const { account } = this.#bot.context;
    const { total, transfers, decimals } = account.profit();
    return {
      captureMs: this.#replay.captureMs ?? 0,
      positionLots: account.positionLots(this.#marketId),
      netValueChange: this.netValueChange(),
      total: total + transfers,
      decimals,
    };
  }

  #nextDue(): Ms {
    return (Math.floor((this.#replay.captureMs ?? 0) / CHECK_EVERY_MS) + 1) * CHECK_EVERY_MS;
  }

  #published(text: string): void {
    const captureMs = this.#replay.captureMs ?? 0;
    if (captureMs < this.#booksDueMs) return;
    const sequence = Number(/"(?:endSequence|sequence)":(\d+)/.exec(text)?.[1]);
    const book = this.#exchange.book(this.#marketId);
    if (book.sequence !== sequence)
      throw new Error(`published ${sequence} while the book was at ${book.sequence}`);
    this.#awaited.push({ ...book, captureMs });
    this.#booksDueMs = this.#nextDue();
  }

  /**
   * An update that ends past an awaited sequence leaves it unmet, which the bot's book then fails.
   */
  #compareBook(): void {
    const book = this.#bot?.context.traders.get(this.#marketId)?.book;
    const awaited = this.#awaited[0];
    if (book === undefined || awaited === undefined || !(book.sequence >= awaited.sequence)) return;
    this.#awaited.shift();
    const levels = awaited.bids.length + awaited.asks.length;
    this.mostLevels = Math.max(this.mostLevels, levels);
    this.books.push({
      captureMs: awaited.captureMs,
      sequence: awaited.sequence,
      levels,
      agrees:
        book.isSynchronised &&
        book.sequence === awaited.sequence &&
        sameBook(book.entries(), awaited),
    });
  }
}

/** True when flat pairs (ticks, lots, ...) equal the exchange's book, to the last level. */
export function sameBook(
  entries: { readonly bids: readonly number[]; readonly asks: readonly number[] },
  book: PublishedBook,
): boolean {
  const same = (ours: readonly number[], theirs: PublishedBook["bids"]): boolean =>
    ours.length === 2 * theirs.length &&
    theirs.every(([ticks, lots], at) => ours[2 * at] === ticks && ours[2 * at + 1] === lots);
  return same(entries.bids, book.bids) && same(entries.asks, book.asks);
}
