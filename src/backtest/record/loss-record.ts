import type { BotEvent } from "../../bot/engine/bot-event.js";
import type { BotContext } from "../../bot/engine/context.js";
import { scaledToDecimal } from "../../core/instrument.js";
import type { CreditUnits } from "../../core/units.js";
import { DAILY_LOSS } from "../../risk/halt.js";
import type { RungEvent, RungEvents } from "../report/run-meta.js";

/** Changes of the risk ladder that a report keeps. */
const MOST_RUNGS = 200;

/**
 * Records the steps of a run's risk ladder, and the result since a halt of the position that it
 * left open.
 */
export class LossRecord {
  readonly #first: RungEvent[] = [];
  #count = 0;
  /** The net value when a loss halted the bot; undefined while none does. */
  #haltedEquity: CreditUnits | undefined;

  /** @param equity of the account now. */
  onBotEvent(notice: BotEvent, atUs: number, equity: () => CreditUnits | undefined): void {
    if (notice.kind === "rung") {
      const { measure, marketId, action, why } = notice;
      this.#count++;
      if (this.#first.length < MOST_RUNGS)
        this.#first.push({ atUs, measure, marketId, action: action ?? "none", why });
    } else if (
      notice.kind === "halted" &&
      (notice.reason === "drawdown" || notice.reason === DAILY_LOSS)
    ) {
      this.#haltedEquity = notice.on ? (this.#haltedEquity ?? equity()) : undefined;
    }
  }

  get rungs(): RungEvents {
    return { count: this.#count, first: this.#first };
  }

  /**
   * Describes the open positions of a bot that a loss has halted, and their result since; undefined
   * without any.
   */
  heldSinceHalt({
    account,
    traderList,
    rules,
  }: Pick<BotContext, "account" | "traderList" | "rules">): string | undefined {
    const held = traderList.filter(({ marketId }) => account.positionLots(marketId) !== 0);
    const { equity } = account;
    if (this.#haltedEquity === undefined || equity === undefined || held.length === 0)
      return undefined;
    const positions = held
      .map(({ marketId }) => `${account.positionBase(marketId)} base units of ${marketId}`)
      .join(", ");
    const change = scaledToDecimal(equity - this.#haltedEquity, rules.creditDecimals);
    return `its positions stayed open, at the end ${positions}: the net value has changed by ${change} since the halt`;
  }
}
