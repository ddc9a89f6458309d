import type { OwnOrder } from "../account/order.js";
import { MarketwrightError } from "../core/errors.js";
import type { MarketId, Ms } from "../core/units.js";
import type { Outcome, QuestionAction } from "../exchange/venue.js";
import type { BotContext } from "./context.js";
import type { StopResult } from "./notice.js";
import { HEARTBEAT_FILE, mayArriveUntilMs } from "./state/heartbeat.js";

/** How far apart two runs may have had the exchange's clock, each by its own questions. */
const CLOCKS_APART_MS: Ms = 1_000;
/** How long the fate of every order is waited for before the bot leaves and names what is left, at least. */
const GIVE_UP_MS = 30_000;
/** After nothing that was signed can arrive any more: for the exchange's last word. */
const LAST_WORD_MS: Ms = 10_000;
/** Between two cancel-alls of a market while an unknown order may still arrive. */
const CANCEL_ALL_EVERY_MS = 1_000;

/**
 * The way out: quotes come down by their ids; an unknown place, which has none, is ended by its market's cancel-all
 * (design, rule 7); the bot leaves when every fate is known and nothing of a run before can arrive any more, or after a time names what is left.
 */
export class Stopping {
  readonly #context: BotContext;
  readonly #finish: (result: StopResult) => void;
  readonly #sweptAtMs = new Map<MarketId, Ms>();
  /** Exchange time until which something of a run before, which was killed, may arrive; minus infinity where nothing may. */
  readonly #earlierUntilMs: Ms;
  #reason = "";
  #sinceMs: Ms = 0;
  #lastQuestion: number | undefined;

  constructor(context: BotContext, finish: (result: StopResult) => void) {
    this.#context = context;
    this.#finish = finish;
    this.#earlierUntilMs = earlierUntilMs(context);
  }

  begin(reason: string): void {
    this.#reason = reason;
    const { clock, account, exchangeTime, absorb } = this.#context;
    this.#sinceMs = clock.monotonicMs();
    // What the streams may have lost would else be waited for until the next interval.
    absorb(account.reconcile(exchangeTime.nowMs(), "unknown"));
  }

  /** A few times a second while the bot stops. */
  tick(): void {
    const { account, clock, config, dispatcher, dryRun } = this.#context;
    const nowMs = clock.monotonicMs();
    const left = account.orders.unresolved();
    const giveUpMs = Math.max(GIVE_UP_MS, config.exchange.signatureWindowMs + LAST_WORD_MS);
    if (nowMs - this.#sinceMs > giveUpMs) return this.#end(left, undefined);
    for (const order of left) if (order.phase === "unknown") this.#sweep(order.marketId, nowMs);
    if (left.length > 0 || dispatcher.inFlightCount > 0 || this.#lastQuestion !== undefined) return;
    if (dryRun) return this.#end(left, undefined);
    if (this.#context.exchangeTime.nowMs() <= this.#earlierUntilMs) return;
    // The exchange itself has the last word, after everything of ours is settled in the table: before the start's reconciliation that
    // table lacks what an earlier run left.
    this.#lastQuestion = this.#context.nextActionId();
    this.#context.ask({
      kind: "question",
      actionId: this.#lastQuestion,
      timestampMs: this.#context.exchangeTime.nowMs(),
      ask: "openOrders",
    });
  }

  /** Takes the answer of the last question; false for any other. */
  answered(action: QuestionAction, outcome: Outcome): boolean {
    if (action.actionId !== this.#lastQuestion) return false;
    this.#lastQuestion = undefined;
    if (outcome.result !== "answered" || outcome.ask !== "openOrders") return true;
    const { account, exchangeTime, absorb, desks } = this.#context;
    absorb(account.onOutcome(action, outcome, exchangeTime.nowMs()));
    const foreign = new Set(
      [...desks.keys()].flatMap((marketId) => account.orders.foreign(marketId).map(({ hash }) => hash.toLowerCase())),
    );
    const ours = outcome.data.filter(({ hash, marketId }) => desks.has(marketId) && !foreign.has(hash.toLowerCase()));
    if (ours.length === 0) this.#end(account.orders.unresolved(), 0);
    else absorb(account.reconcile(exchangeTime.nowMs(), "unknown"));
    return true;
  }

  #sweep(marketId: MarketId, nowMs: Ms): void {
    if (nowMs - (this.#sweptAtMs.get(marketId) ?? Number.NEGATIVE_INFINITY) < CANCEL_ALL_EVERY_MS) return;
    this.#sweptAtMs.set(marketId, nowMs);
    const { notify, account, dispatcher } = this.#context;
    const manual = account.orders.foreign(marketId).map(({ id }) => id);
    if (manual.length > 0) {
      notify({
        kind: "log",
        level: "warn",
        message: "ending an unknown order by cancel-all takes manual orders too",
        fields: { marketId, manual },
      });
    }
    dispatcher.want({ kind: "cancel-all", marketId, why: "an unknown order can be ended in no other way" });
  }

  #end(left: readonly OwnOrder[], openOrdersLeft: number | undefined): void {
    this.#finish({
      reason: this.#reason,
      ordersLeft: left.map(({ marketId, hash, phase }) => ({ marketId, hash, phase })),
      openOrdersLeft,
    });
  }
}

/**
 * What was sent before this run was dated before it, however far ahead a heartbeat is: by its own interval, or by an exchange's clock that was set back
 * since. Of one that cannot be read nobody knows how old it is.
 */
function earlierUntilMs({ store, config, exchangeTime }: BotContext): Ms {
  const { signatureWindowMs } = config.exchange;
  const latestMs = exchangeTime.nowMs() + CLOCKS_APART_MS + signatureWindowMs;
  try {
    return Math.min(mayArriveUntilMs(store.read(HEARTBEAT_FILE), signatureWindowMs) ?? Number.NEGATIVE_INFINITY, latestMs);
  } catch (error) {
    if (!(error instanceof MarketwrightError)) throw error;
    return latestMs;
  }
}
