import type { MarketId } from "../../core/units.js";
import type { Notice } from "../../notify/notice.js";
import type { Bot } from "../engine/bot.js";

/**
 * Sees when quotes may only reduce because a hedge does not keep up. Where the market halts for it,
 * the halt is the event.
 */
export class HedgeRestrictions {
  /** The name of the restriction of each market that has one. */
  readonly #told = new Map<MarketId, string>();

  /** The restrictions that have begun or ended since the last call. */
  changes(bot: Bot): readonly Notice[] {
    const { hedges, clock } = bot.context;
    if (bot.phase === "starting") return [];
    return [...bot.context.traders.keys()].flatMap((marketId) => {
      const restriction = hedges.restrictionOn(marketId);
      const name = restriction?.effect === "reduce" ? restriction.name : undefined;
      if (name === this.#told.get(marketId)) return [];
      if (name === undefined) this.#told.delete(marketId);
      else this.#told.set(marketId, name);
      return [
        {
          atMs: clock.nowMs(),
          severity: "warning",
          kind: "reduce-only",
          title:
            name === undefined
              ? `${marketId} quotes both sides again: its hedge keeps up`
              : `${marketId} quotes only what reduces: ${name}`,
          key: `hedge ${marketId}`,
          state: name ?? "over",
          marketId,
          ...(restriction === undefined ? {} : { text: restriction.why }),
        } satisfies Notice,
      ];
    });
  }
}
