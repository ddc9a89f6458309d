import type { Clock } from "../../../core/runtime/runtime.js";
import type { Ms } from "../../../core/units.js";
import type { Bucket } from "../../../executor/dispatch-budget.js";
import type { Metrics } from "../../../monitoring/metrics.js";
import type { Bot } from "../../engine/bot.js";
import type { BotEvent } from "../../engine/bot-event.js";
import type { RunLog } from "./run-log.js";

/**
 * A shortage ends when no action has waited for tokens for this long: tokens come back one by one,
 * and are spent as fast.
 */
const QUIET_MS: Ms = 10_000;

interface Shortage {
  readonly sinceMs: Ms;
  /** When it ends, if no action waits until then. */
  overMs: Ms;
  refusals: number;
}

/** Reports that actions wait for tokens: once at the start of the shortage, and once at its end. */
export class TokenShortages {
  readonly #runLog: RunLog;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #bot: () => Bot | undefined;
  readonly #lasting = new Map<Bucket, Shortage>();

  constructor(voice: RunLog, metrics: Metrics, clock: Clock, bot: () => Bot | undefined) {
    this.#runLog = voice;
    this.#metrics = metrics;
    this.#clock = clock;
    this.#bot = bot;
  }

  /** An action has to wait. */
  onShortage({
    bucket,
    action,
    why,
    retryAtMs,
  }: Extract<BotEvent, { readonly kind: "tokens-short" }>): void {
    const nowMs = this.#clock.monotonicMs();
    // If the limit can never grant an action, the end of its wait is unknown.
    const overMs = (Number.isFinite(retryAtMs) ? Math.max(nowMs, retryAtMs) : nowMs) + QUIET_MS;
    const lasting = this.#lasting.get(bucket);
    if (lasting !== undefined) {
      lasting.overMs = Math.max(lasting.overMs, overMs);
      lasting.refusals++;
      return;
    }
    this.#lasting.set(bucket, { sinceMs: nowMs, overMs, refusals: 1 });
    this.#metrics.setTokensShort(bucket, true);
    const forMs = Number.isFinite(retryAtMs) ? Math.max(0, Math.ceil(retryAtMs - nowMs)) : "ever";
    this.#runLog.write("warn", `out of ${bucket} tokens: requests wait`, {
      waits: action,
      why,
      forMs,
      positions: this.#positions(),
    });
  }

  /** Ends shortages that are over. Call it with every event. */
  checkEnded(): void {
    if (this.#lasting.size === 0) return;
    const nowMs = this.#clock.monotonicMs();
    for (const [bucket, { sinceMs, overMs, refusals }] of this.#lasting) {
      if (nowMs < overMs) continue;
      this.#lasting.delete(bucket);
      this.#metrics.setTokensShort(bucket, false);
      this.#runLog.write("info", `${bucket} tokens are available again`, {
        lastedMs: Math.round(overMs - QUIET_MS - sinceMs),
        refusals,
      });
    }
  }

  #positions(): Readonly<Record<string, string>> {
    const bot = this.#bot();
    if (bot?.context.account.confirmed !== true) return {};
    const { account, traders } = bot.context;
    return Object.fromEntries(
      [...traders.keys()].map((marketId) => [marketId, account.positionBase(marketId)]),
    );
  }
}
