import { expect, it } from "vitest";
import type { CreditUnits, Hex, Lots } from "#core/units.js";
import type { LiquidatorVenue } from "#liquidator/liquidator-venue.js";
import type { VenueMarket } from "#liquidator/victims.js";
import { LiquidatingStage } from "../scenarios/liquidating-stage.js";
import { COIN } from "./simulation/ground.js";
import type { Parts } from "./simulation/process.js";

/** A venue whose position limit the test moves, and one of whose prices of ether comes late. */
class SlowVenue {
  mostLots: Lots = 400;
  #isSlow = false;
  #release: (() => void) | undefined;

  readonly rework = (parts: Parts): Parts => {
    const { venue } = parts;
    const slow: LiquidatorVenue = Object.assign(Object.create(venue) as LiquidatorVenue, {
      markets: () => this.#limited(venue.markets()),
      pause: () => venue.pause(),
      riskyAccounts: () => venue.riskyAccounts(),
      marketIdFor: (perp: Hex) => venue.marketIdFor(perp),
      perpFor: (marketId: string) => venue.perpFor(marketId),
      markValue: (perp: Hex, paper: bigint) => venue.markValue(perp, paper),
      unwindingCredit: () => venue.unwindingCredit(),
      creditPerEth: () => this.#creditPerEth(venue),
    });
    return { ...parts, venue: slow };
  };

  /** The next price of ether comes late, and those after it in time. */
  delaysOne(): void {
    this.#isSlow = this.#release === undefined;
  }

  answers(): void {
    this.#release?.();
  }

  async #creditPerEth(venue: LiquidatorVenue): Promise<CreditUnits> {
    if (this.#isSlow) {
      this.#isSlow = false;
      await new Promise<void>((resolve) => {
        this.#release = resolve;
      });
    }
    return venue.creditPerEth();
  }

  #limited(markets: ReadonlyMap<Hex, VenueMarket>): ReadonlyMap<Hex, VenueMarket> {
    return new Map(
      [...markets].map(([perp, market]) => [
        perp,
        { ...market, limits: { maxPositionLots: this.mostLots } },
      ]),
    );
  }
}

/**
 * A victim of a coin, of which 0.4 are taken over and final, while the price of ether that the end
 * asks for does not come.
 */
async function firstIsFinal(venue: SlowVenue): Promise<LiquidatingStage> {
  const stage = await LiquidatingStage.open();
  await stage.price(56_000);
  await stage.blocks();
  stage.starts({
    rework: venue.rework,
    onStep: (kind) => {
      if (kind === "mined") venue.delaysOne();
    },
  });
  for (let i = 0; i < 6 && stage.process.lanes?.jobs()[0]?.state !== "final"; i += 1)
    await stage.blocks();
  expect(stage.opportunity()).toMatchObject({ outcome: "open", takenOver: { lots: 400 } });
  expect(stage.desk.acquired.size).toBe(1);
  return stage;
}

it("a second takeover of the same position never takes back the first, however late the price of ether comes: each is an opportunity of its own", async () => {
  const venue = new SlowVenue();
  const stage = await firstIsFinal(venue);
  venue.mostLots = 1_000;
  await stage.blocks(4);
  expect([...stage.desk.acquired.values()].map(({ lots }) => lots)).toEqual([400]);
  venue.answers();
  await stage.blocks(4);
  expect([...stage.desk.acquired.values()].map(({ lots }) => lots)).toEqual([400, 600]);
  expect(stage.ledger().map(({ outcome, takenOver }) => [outcome, takenOver?.lots])).toEqual([
    ["won", 400],
    ["won", 600],
  ]);
  expect(await stage.paper()).toBe(COIN);
  expect(await stage.stops()).toBe(0);
  await stage.expectHonest();
});

it("a takeover whose transaction is forgotten stays held when another of the same position follows: only its own block takes it back", async () => {
  const venue = new SlowVenue();
  const stage = await firstIsFinal(venue);
  stage.isKilled();
  // The ledger says what was taken over, and the lanes' file is lost.
  stage.disk.records.length = 0;
  venue.mostLots = 1_000;
  venue.answers();
  stage.starts({ rework: venue.rework });
  await stage.blocks(4);
  expect([...stage.desk.acquired.values()].map(({ lots }) => lots)).toEqual([400, 600]);
  expect(stage.ledger().map(({ outcome, takenOver }) => [outcome, takenOver?.lots])).toEqual([
    ["won", 400],
    ["won", 600],
  ]);
  expect(await stage.stops()).toBe(0);
});
