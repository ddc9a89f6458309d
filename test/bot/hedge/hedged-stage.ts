import { expect } from "vitest";
import { type HedgeStatus, readHedge } from "#bot/hedge-status.js";
import type { HedgedMarket } from "#bot/hedged-market.js";
import { SYMBOL } from "../../hedge/hedge-records.js";
import { ModelVenue } from "../../hedge/model-venue.js";
import { MARKET, Stage } from "../../scenarios/stage.js";

/** Keys of a bot's file that hedge the stage's market. */
export function hedgedBot(
  hedge: Record<string, unknown> = {},
  limits: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    hedgeVenues: { deep: { ccxt: "binanceusdm", keyEnv: "HEDGE_KEY", secretEnv: "HEDGE_SECRET" } },
    markets: {
      [MARKET]: {
        strategy: "ladder",
        limits: { maxPositionBase: "0.03", maxOrderBase: "0.05", maxOpenOrders: 12, ...limits },
        hedge: { venue: "deep", symbol: SYMBOL, maxUnhedgedBase: "0.005", ...hedge },
      },
    },
    ...more,
  };
}

/** The bot on the embedded exchange, with a venue where its position is laid off. */
export class HedgedStage extends Stage {
  readonly deep = new ModelVenue(this.clock);

  constructor(keys: Parameters<typeof hedgedBot> = [], exchange: Record<string, unknown> = {}) {
    super({ bot: hedgedBot(...keys), exchange });
    this.hedgeVenues = new Map([["deep", this.deep]]);
  }

  get hedged(): HedgedMarket {
    const hedged = this.rig.bot.context.hedges.get(MARKET);
    if (hedged === undefined) throw new Error("the market has no hedge");
    return hedged;
  }

  get status(): HedgeStatus {
    const status = readHedge(this.rig.bot, MARKET);
    if (status === undefined) throw new Error("the market has no hedge");
    return status;
  }

  /** Both legs, in lots of the market. */
  expectLegs(atExchange: number, there: number): void {
    expect([this.positionLots(), this.deep.positionLots]).toEqual([atExchange, there]);
    const { account, hedges } = this.rig.bot.context;
    expect([account.positionLots(MARKET), this.hedged.hedger.positionLots]).toEqual([
      atExchange,
      there,
    ]);
    expect(hedges.netLots(MARKET)).toBe(atExchange + there);
  }

  /** Orders that are open at the hedge venue. */
  openThere(): number {
    return [...this.deep.orders.values()].filter(({ isOpen }) => isOpen).length;
  }
}
