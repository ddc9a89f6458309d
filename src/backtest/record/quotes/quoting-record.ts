import type { BotEvent } from "../../../bot/engine/bot-event.js";
import type { MarketId } from "../../../core/units.js";
import type { OrderRefusal } from "../refusals.js";

/** Halts are given as the reason if they were in force for at least this share of a run. */
const MOST = 0.5;
/** Most reasons that are given. */
const MOST_REASONS = 3;

/** A market's intents, and their outcome. */
interface Counts {
  /** Intents that were accepted. */
  intents: number;
  /** Those among them with a quote or a target position. */
  wanting: number;
  /** Intents that the bot refused. */
  refused: number;
  sent: number;
  accepted: number;
  /** The strategy's own reasons for its first intent without a quote. */
  clamps: readonly string[];
  /** Why the strategy ended; undefined while it runs. */
  endedWhy: string | undefined;
}

/** Time of a halt, of one market or of all, by its name. */
interface HaltTime {
  readonly marketId: MarketId | undefined;
  readonly name: string;
  readonly why: string;
  totalUs: number;
  sinceUs: number | undefined;
}

/** The state of a market at the end of a run. */
export interface QuotingEndState {
  readonly startUs: number;
  readonly endUs: number;
  /** Number of views that its strategy received. */
  readonly views: number;
  /** The reason why its book is unusable; undefined where it is usable. */
  readonly book?: string | undefined;
  /** The reasons that prevent quotes now, in a trader's words. */
  readonly blocks: readonly string[];
  readonly refusals: readonly OrderRefusal[];
}

/** Records the intents of a run's strategies, to explain a market in which no order ever rested. */
export class QuotingRecord {
  readonly #markets = new Map<MarketId, Counts>();
  readonly #halts = new Map<string, HaltTime>();

  /** Receives every event of the bot, with its time in microseconds. */
  onBotEvent(notice: BotEvent, atUs: number): void {
    switch (notice.kind) {
      case "intent": {
        const { intent } = notice;
        const counts = this.#of(intent.marketId);
        counts.intents += 1;
        if (intent.kind === "target" || intent.quotes.length > 0) counts.wanting += 1;
        else if (counts.clamps.length === 0) counts.clamps = intent.reason.clamps;
        return;
      }
      case "intent-refused":
        // An intent from an older view is late, not wrong.
        if (notice.refusal !== "older-view") this.#of(notice.marketId).refused += 1;
        return;
      case "dispatched":
        if (notice.action.kind === "place") this.#of(notice.action.marketId).sent += 1;
        return;
      case "answered":
        if (notice.action.kind === "place" && notice.outcome.result === "accepted")
          this.#of(notice.action.marketId).accepted += 1;
        return;
      case "halted":
        this.#halted(notice, atUs);
    }
  }

  /**
   * Explains why the exchange never accepted an order in a market, in words that follow the
   * market's name; undefined where it accepted one.
   */
  explainNoOrders(marketId: MarketId, end: QuotingEndState): string | undefined {
    const { intents, wanting, refused, sent, accepted, clamps, endedWhy } = this.#of(marketId);
    if (accepted > 0) return undefined;
    const refusals = end.refusals.filter((refusal) => refusal.marketId === marketId);
    const words = (by: readonly OrderRefusal["by"][]): string[] =>
      refusals
        .filter((refusal) => by.includes(refusal.by))
        .map(({ count, reason, why }) => `${count} x ${reason}: ${why}`);
    if (sent > 0)
      return `the exchange accepted none of the ${sent} orders that were sent${because(words(["exchange"]))}`;
    const never = (why: string): string => `no order was ever sent: ${why}`;
    if (wanting > 0) {
      const halts = this.#longHalts(marketId, end);
      const reasons = [...halts, ...words(["limit", "bot"])];
      return never(
        `its strategy planned quotes ${times(wanting)}${because(reasons.length > 0 ? reasons : end.blocks)}`,
      );
    }
    if (endedWhy !== undefined) return never(endedWhy);
    if (refused > 0) {
      const of = intents === 0 ? `all ${refused}` : `${refused} of the ${refused + intents}`;
      const rest = intents === 0 ? "" : ", and the others had no quotes";
      return never(
        `the bot refused ${of} intents of its strategy${because(words(["bot"]))}${rest}`,
      );
    }
    if (intents > 0)
      return never(
        `its strategy planned no quotes in any of its ${intents} intents${because(clamps)}`,
      );
    if (end.views > 0)
      return never(`its strategy was called ${times(end.views)} and never returned an intent`);
    return never(
      `its strategy was never called${because(end.book === undefined ? end.blocks : [end.book])}`,
    );
  }

  #halted(
    { reason, marketId, on, why }: Extract<BotEvent, { kind: "halted" }>,
    atUs: number,
  ): void {
    if (reason === STRATEGY_ERROR && marketId !== undefined)
      this.#of(marketId).endedWhy = on ? why : undefined;
    const key = `${marketId ?? ""} ${reason}`;
    const halt = this.#halts.get(key) ?? {
      marketId,
      name: reason,
      why,
      totalUs: 0,
      sinceUs: undefined,
    };
    this.#halts.set(key, halt);
    if (on) halt.sinceUs ??= atUs;
    else if (halt.sinceUs !== undefined) {
      halt.totalUs += atUs - halt.sinceUs;
      halt.sinceUs = undefined;
    }
  }

  /** Halts that lasted most of the run, the longest first. */
  #longHalts(marketId: MarketId, { startUs, endUs }: QuotingEndState): string[] {
    const lasted = [...this.#halts.values()]
      .filter((halt) => halt.marketId === undefined || halt.marketId === marketId)
      .map((halt) => ({
        ...halt,
        totalUs: halt.totalUs + (halt.sinceUs === undefined ? 0 : endUs - halt.sinceUs),
      }));
    return lasted
      .filter(({ totalUs }) => totalUs >= MOST * (endUs - startUs))
      .sort((one, other) => other.totalUs - one.totalUs)
      .map(
        ({ name, why, totalUs }) =>
          `it was halted for ${Math.round((100 * totalUs) / (endUs - startUs))} % of the run by ${name}: ${why}`,
      );
  }

  #of(marketId: MarketId): Counts {
    const known = this.#markets.get(marketId);
    if (known !== undefined) return known;
    const counts: Counts = {
      intents: 0,
      wanting: 0,
      refused: 0,
      sent: 0,
      accepted: 0,
      clamps: [],
      endedWhy: undefined,
    };
    this.#markets.set(marketId, counts);
    return counts;
  }
}

/** The name of the halt of a market whose strategy failed or completed. */
const STRATEGY_ERROR = "strategy-error";

function because(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MOST_REASONS);
  return shown.length === 0 ? "" : ` (${shown.join("; ")})`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
