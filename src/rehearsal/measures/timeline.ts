import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { Instrument } from "../../core/instrument.js";
import type { MarketId, Ms } from "../../core/units.js";
import type { RehearsedMoment } from "../rehearsal-result.js";
import type { AccountFill } from "./exchange-truth.js";

/** Collects the time line of a run that is printed in detail. */
export class Timeline {
  readonly #moments: RehearsedMoment[] = [];
  readonly #isWanted: boolean;
  readonly #nowMs: () => Ms;

  constructor(isWanted: boolean, nowMs: () => Ms) {
    this.#isWanted = isWanted;
    this.#nowMs = nowMs;
  }

  /** All moments in order. */
  get moments(): readonly RehearsedMoment[] {
    return [...this.#moments].sort((a, b) => a.atMs - b.atMs);
  }

  add(kind: RehearsedMoment["kind"], text: string): void {
    if (this.#isWanted) this.#moments.push({ atMs: this.#nowMs(), kind, text });
  }

  observe(notice: BotEvent): void {
    if (notice.kind === "halted" && notice.isStarting !== true) {
      const where = notice.marketId === undefined ? "" : ` in ${notice.marketId}`;
      this.add(
        "halt",
        notice.on
          ? `halt ${notice.reason}${where}: ${notice.why}`
          : `halt ${notice.reason}${where} ends`,
      );
    }
    if (notice.kind === "strategy-failed")
      this.add("bot", `the strategy of ${notice.marketId} failed: ${notice.why}`);
    if (notice.kind === "stopped") this.add("bot", `the bot has stopped: ${notice.result.reason}`);
  }

  /** @param fills with times since the start of the run */
  addFills(fills: readonly AccountFill[], instrumentOf: (marketId: MarketId) => Instrument): void {
    if (!this.#isWanted) return;
    for (const { atMs, marketId, isBuyer, isMaker, lots, ticks, hasFailed } of fills) {
      const instrument = instrumentOf(marketId);
      const text = [
        marketId,
        isBuyer ? "buys" : "sells",
        instrument.formatAmount(lots),
        "at",
        instrument.formatPrice(ticks),
        isMaker ? "as maker" : "as taker",
        ...(hasFailed ? ["(its settlement failed)"] : []),
      ];
      this.#moments.push({ atMs, kind: "fill", text: text.join(" ") });
    }
  }
}
