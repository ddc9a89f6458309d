import type { AccountChange } from "../../account/account-change.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { DayEvent, DayRow, RunFacts } from "../../ledger/days/day-row.js";
import type { Bot } from "../engine/bot.js";
import type { BotEvent } from "../engine/bot-event.js";
import { computeEarnings } from "../status/earnings.js";
import { quoteAssetOf } from "../status/open-position.js";
import { MarketInterval } from "./market-interval.js";

/** Interval of the looks that assign time without quotes to a cause. */
const LOOK_MS: Ms = 1_000;
/** A row that is this little late is one of the full interval. */
const LATE_MS: Ms = 500;

/** Options of a {@link DayRecorder}. */
export interface DayRecorderOptions {
  /** The machine's clock, not that of the turns. */
  readonly clock: Clock;
  /** Interval of the rows. It divides a day. */
  readonly everyMs: Ms;
  readonly version: string;
  /** Takes the rows of one interval, and keeps them. Must not throw. */
  readonly write: (rows: readonly DayRow[], facts: RunFacts) => void;
}

/**
 * Records a bot for its day files: a row of the account and one of each market in every interval.
 * An observer: it reads the bot between its turns, and no input of the bot comes from it.
 */
export class DayRecorder {
  readonly #options: DayRecorderOptions;
  #run: Recording | undefined;

  constructor(options: DayRecorderOptions) {
    this.#options = options;
  }

  /** Records a bot from now on. @param exchangeNowMs the exchange's clock, at any time */
  attach(bot: Bot, exchangeNowMs: () => Ms): void {
    this.#run = new Recording(this.#options, bot, exchangeNowMs);
  }

  onBotEvent(notice: BotEvent): void {
    this.#run?.onBotEvent(notice);
  }

  /** Writes the rows of the interval that has begun, and ends. A second call does nothing. */
  close(): void {
    this.#run?.close();
    this.#run = undefined;
  }
}

/** The recording of one bot. */
class Recording {
  readonly #options: DayRecorderOptions;
  readonly #bot: Bot;
  readonly #exchangeNowMs: () => Ms;
  readonly #markets: ReadonlyMap<MarketId, MarketInterval>;
  readonly #session: Ms;
  #events: DayEvent[] = [];
  #throttled = 0;
  #fromMs: Ms;
  #fromMonotonicMs: Ms;
  #hasBegun = false;
  #timer: Timer | undefined;

  constructor(options: DayRecorderOptions, bot: Bot, exchangeNowMs: () => Ms) {
    this.#options = options;
    this.#bot = bot;
    this.#exchangeNowMs = exchangeNowMs;
    this.#markets = new Map(
      [...bot.context.traders.values()].map((trader) => [
        trader.marketId,
        new MarketInterval(bot, trader, exchangeNowMs),
      ]),
    );
    this.#session = exchangeNowMs();
    this.#fromMs = this.#session;
    this.#fromMonotonicMs = options.clock.monotonicMs();
    this.#note("start", "", "start", options.version);
    for (const halt of bot.tradingGuards.halts)
      this.#note("halt", halt.scope === "market" ? halt.marketId : "", halt.name, halt.why);
    this.#wait();
  }

  onBotEvent(notice: BotEvent): void {
    switch (notice.kind) {
      case "account":
        return this.#onAccountChange(notice.change);
      case "dispatched":
        return this.#onAction(notice);
      case "tokens-short":
        this.#throttled += 1;
        return;
      case "held-back":
        if (notice.limit.endsWith("tokens")) this.#markets.get(notice.marketId)?.add("throttled");
        return;
      case "halted":
        return this.#note(
          notice.on ? "halt" : "halt-end",
          notice.marketId ?? "",
          notice.reason,
          notice.why,
        );
      case "rung":
        return this.#note(
          "rung",
          notice.marketId ?? "",
          notice.measure,
          `${notice.action ?? "none"}: ${notice.why}`,
        );
      default:
    }
  }

  close(): void {
    this.#timer?.cancel();
    this.#note("stop", "", "stop", this.#bot.phase);
    this.#take(this.#exchangeNowMs());
  }

  #onAccountChange(change: AccountChange): void {
    switch (change.kind) {
      case "order": {
        const { order, change: of } = change;
        if (of.change === "matched" && order.matchedLots === of.lots)
          this.#markets.get(order.marketId)?.add("ordersFilled");
        return;
      }
      case "income":
        if (change.income.type === "FUNDING_FEE")
          this.#markets.get(change.income.marketId)?.funding(change.income);
        return;
      case "trade-failed":
        return this.#note("settlement-failed", change.trade.marketId, change.trade.id, "");
      case "liquidation":
        return this.#note(
          "liquidation",
          change.marketId,
          change.takeoverId ?? "",
          `${change.lots} lots for ${change.credit} quote units`,
        );
      case "position-set":
        return this.#note(
          "position-set",
          change.marketId,
          "",
          `${change.lots} lots, was ${change.was}`,
        );
      default:
    }
  }

  #onAction({ action }: Extract<BotEvent, { kind: "dispatched" }>): void {
    if (action.kind === "place") this.#markets.get(action.marketId)?.add("placed");
    else if (action.kind === "cancel") this.#markets.get(action.marketId)?.add("cancels");
    else if (action.kind === "cancel-all")
      for (const [marketId, market] of this.#markets)
        if (action.marketId === undefined || action.marketId === marketId) market.add("cancelAlls");
  }

  #note(kind: DayEvent["kind"], marketId: string, name: string, why: string): void {
    this.#events.push({ atMs: this.#exchangeNowMs(), kind, marketId, name, why });
  }

  #wait(): void {
    const { clock, everyMs } = this.#options;
    const nowMs = this.#exchangeNowMs();
    const untilRowMs = Math.floor(nowMs / everyMs) * everyMs + everyMs - nowMs;
    this.#timer = clock.setTimer(Math.min(LOOK_MS, untilRowMs), () => {
      this.#look();
      this.#wait();
    });
  }

  #look(): void {
    const { clock, everyMs } = this.#options;
    const monotonicMs = clock.monotonicMs();
    for (const market of this.#markets.values()) market.look(monotonicMs);
    const nowMs = this.#exchangeNowMs();
    // The first row is the opening one: the figures of the run begin there.
    if (!this.#hasBegun && this.#bot.context.account.confirmed) return this.#take(nowMs);
    const dueMs = Math.floor(nowMs / everyMs) * everyMs;
    if (this.#hasBegun && dueMs > this.#fromMs)
      this.#take(nowMs - dueMs <= LATE_MS ? dueMs : nowMs);
  }

  #take(nowMs: Ms): void {
    const { clock, write } = this.#options;
    const monotonicMs = clock.monotonicMs();
    const { context } = this.#bot;
    // Markouts that became due since the last turn are of this interval.
    context.statistics.endTurn();
    this.#hasBegun = true;
    // The estimate of the exchange's clock may step back by a little.
    const atMs = Math.max(nowMs, this.#fromMs);
    const interval = { session: this.#session, fromMs: this.#fromMs, atMs };
    const { equity, parts, inTransit } = computeEarnings(this.#bot);
    const { spread, inventory, fees, funding, basis, failed, liquidation, other } = parts;
    const hedgeProfit = context.hedges.profitCredit;
    const account: DayRow = {
      ...interval,
      elapsedUs: Math.round(1000 * monotonicMs) - Math.round(1000 * this.#fromMonotonicMs),
      marketId: "",
      ...(equity === undefined ? {} : { equity }),
      ...(inTransit === undefined ? {} : { underWay: inTransit }),
      transfers: parts.transfers,
      ...(hedgeProfit === undefined ? {} : { hedgeProfit }),
      ...{ spread, inventory, fees, funding, basis, failed, liquidation, other },
      throttled: this.#throttled,
      ...(this.#events.length === 0 ? {} : { events: this.#events }),
    };
    const markets = [...this.#markets.values()].map((market) => market.take(monotonicMs, interval));
    this.#events = [];
    this.#throttled = 0;
    this.#fromMs = atMs;
    this.#fromMonotonicMs = monotonicMs;
    write([account, ...markets], this.#facts(parts.decimals));
  }

  #facts(profitDecimals: number): RunFacts {
    const { context } = this.#bot;
    const { everyMs, version } = this.#options;
    return {
      format: 1,
      version,
      account: context.accountAddress,
      quoteAsset: quoteAssetOf(this.#bot) ?? "",
      creditDecimals: context.rules.creditDecimals,
      profitDecimals,
      everyMs,
      markets: Object.fromEntries(
        [...context.traders.values()].map(({ marketId, instrument }) => [
          marketId,
          {
            tickSize: instrument.tickSize,
            stepSize: instrument.stepSize,
            paperDecimals: instrument.paperDecimals,
            strategy: context.config.markets[marketId]?.strategy ?? "",
          },
        ]),
      ),
    };
  }
}
