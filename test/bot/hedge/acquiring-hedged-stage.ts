import type { UnwindConfig } from "#bot/unwind-fields.js";
import type { Lots } from "#core/units.js";
import { SYMBOL } from "../../hedge/hedge-records.js";
import { ModelVenue } from "../../hedge/model-venue.js";
import { AcquiringStage } from "../../scenarios/acquiring-stage.js";
import { MARKET } from "../../scenarios/stage.js";

/** A bot that acquires liquidated positions in a market that it makes and hedges. */
export class AcquiringHedgedStage extends AcquiringStage {
  readonly deep = new ModelVenue(this.clock);

  /** @param takerFeeBps of the hedge venue; undefined if the file does not have it */
  constructor(takerFeeBps: number | undefined, unwind: Partial<UnwindConfig> = {}) {
    super({
      unwind,
      bot: {
        hedgeVenues: {
          deep: {
            ccxt: "binanceusdm",
            keyEnv: "HEDGE_KEY",
            secretEnv: "HEDGE_SECRET",
            ...(takerFeeBps === undefined ? {} : { takerFeeBps }),
          },
        },
        markets: {
          [MARKET]: {
            strategy: "ladder",
            limits: { maxPositionBase: "0.1", maxOrderBase: "0.05", maxOpenOrders: 12 },
            hedge: { venue: "deep", symbol: SYMBOL, maxUnhedgedBase: "0.005" },
          },
        },
      },
    });
    this.hedgeVenues = new Map([["deep", this.deep]]);
  }

  /** A takeover that chain and exchange both report. */
  takesOver(lots: Lots): void {
    const takeover = this.takeover(lots);
    this.acquires(takeover);
    this.applies(takeover);
  }

  /** Positions at the exchange and at the hedge venue, in lots of the market. */
  legs(): readonly [Lots, Lots] {
    return [this.positionLots(), this.deep.positionLots];
  }

  /** Hedges that were sent, in short. */
  hedges(): readonly string[] {
    return this.deep.sentOf("place").map(({ side, lots }) => `${side} ${lots}`);
  }

  /** Log entries of an acquired position, with their fields. */
  decisions() {
    return this.notices.flatMap((notice) =>
      notice.kind === "log" && notice.message.startsWith("an acquired position") ? [notice] : [],
    );
  }
}
