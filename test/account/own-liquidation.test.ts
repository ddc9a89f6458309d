import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AccountProfit } from "#account/account-profit.js";
import type { Side } from "#core/units.js";
import type { VenueTrade } from "#exchange/records.js";
import { INSTRUMENT, MARKET, venueTrade } from "./exchange-story.js";
import { TIMEOUT } from "./scripted-exchange.js";
import { creditOf, LOT_VALUE, MARK, newIncomeId, Scene } from "./takeover-scene.js";

describe("the own account being liquidated", () => {
  it("moves position and profit at once, by name", () => {
    const scene = new Scene().start();
    const lost = { lots: -5, credit: (5n * LOT_VALUE * 98n) / 100n };
    scene.streams(scene.applies(lost, "LIQUIDATED"));
    expect(scene.position).toBe(0);
    expect(scene.liquidation).toBe((-5n * LOT_VALUE * 2n) / 100n);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toEqual([]);
    scene.agrees();
  });

  it("at an impossible price does not explain the position", () => {
    const scene = new Scene().start();
    scene.streams(scene.applies({ lots: -5, credit: LOT_VALUE }, "LIQUIDATED"));
    expect(scene.position).toBe(5);
    scene.wait(10_000);
    expect([scene.position, scene.liquidation]).toEqual([0, LOT_VALUE]);
    expect(scene.differences).toEqual(["position"]);
  });
});

describe("the own account being liquidated twice", () => {
  it("waits until the position includes both", () => {
    const scene = new Scene().start();
    const loses = (lots: number) =>
      scene.applies({ lots: -lots, credit: (BigInt(lots) * LOT_VALUE * 98n) / 100n }, "LIQUIDATED");
    let isSecond = true;
    scene.meanwhile = ({ ask }) => {
      if (ask !== "incomes" || !isSecond) return;
      isSecond = false;
      loses(1);
    };
    scene.streams(loses(4));
    expect(scene.exchange.basePosition).toBe(0);
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([5, false]);
    scene.wait(5000);
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([0, true]);
    expect(scene.liquidation).toBe((-5n * LOT_VALUE * 2n) / 100n);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toEqual([]);
    scene.agrees();
  });
});

describe("the own account being liquidated amid trades that have not settled", () => {
  const COUNTED = ["match", "settlement"] as const;
  const loses = (lots: number) => ({
    lots: -lots,
    credit: (BigInt(lots) * LOT_VALUE * 98n) / 100n,
  });

  /** The positions that the bot would quote from as known, at every moment of a period. */
  function knownPositions(scene: Scene, ms: number): Set<number> {
    const known = new Set<number>();
    for (let passed = 0; passed <= ms; passed += 250) {
      if (scene.account.isPositionKnown(MARKET)) known.add(scene.position);
      scene.wait(250);
    }
    return known;
  }

  function unsettled(scene: Scene, id: number, side: Side, lots: number): VenueTrade {
    const trade = venueTrade(id, side, lots, {
      quote: BigInt(lots) * LOT_VALUE,
      commission: 0n,
      timeMs: scene.exchange.timeMs,
    });
    scene.exchange.settle(trade);
    scene.tradeUpdate(trade);
    return trade;
  }

  function settles(scene: Scene, trade: VenueTrade): void {
    const settled = { ...trade, status: "SETTLED" };
    scene.exchange.settle(settled);
    scene.tradeUpdate(settled);
  }

  it.each(COUNTED)("waits for unsettled trades, counted from the %s", (positionsFrom) => {
    const scene = new Scene();
    scene.exchange.positionsFrom = positionsFrom;
    scene.start();
    const trade = unsettled(scene, 1, "BUY", 3);
    scene.streams(scene.applies(loses(4), "LIQUIDATED"));
    expect([...knownPositions(scene, 3000)].filter((lots) => lots !== 4)).toEqual([]);
    settles(scene, trade);
    scene.wait(2500);
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([4, true]);
    expect(knownPositions(scene, 20_000)).toEqual(new Set([4]));
    expect(scene.liquidation, "two per cent of what was lost, and none of what was traded").toBe(
      (-4n * LOT_VALUE * 2n) / 100n,
    );
    expect(scene.differences).toEqual([]);
  });

  it.each(COUNTED)(
    "even if the traded lots cancel out the liquidated lots, by the %s",
    (positionsFrom) => {
      const scene = new Scene();
      scene.exchange.positionsFrom = positionsFrom;
      scene.start();
      const trade = unsettled(scene, 1, "SELL", 4);
      scene.streams(scene.applies(loses(4), "LIQUIDATED"));
      expect([...knownPositions(scene, 3000)].filter((lots) => lots !== -3)).toEqual([]);
      settles(scene, trade);
      expect([...knownPositions(scene, 20_000)].filter((lots) => lots !== -3)).toEqual([]);
      expect([scene.position, scene.account.isPositionKnown(MARKET), scene.differences]).toEqual([
        -3,
        true,
        [],
      ]);
    },
  );

  it.each(COUNTED)("counts at once if trades are known to count from the %s", (positionsFrom) => {
    const scene = new Scene();
    scene.exchange.positionsFrom = positionsFrom;
    scene.start();
    for (const id of [1, 2, 3]) {
      const trade = unsettled(scene, id, "BUY", 2);
      scene.wait(31_000);
      settles(scene, trade);
    }
    unsettled(scene, 4, "SELL", 3);
    unsettled(scene, 5, "BUY", 1);
    scene.streams(scene.applies(loses(4), "LIQUIDATED"));
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([5, true]);
    expect(scene.liquidation).toBe((-4n * LOT_VALUE * 2n) / 100n);
    expect(scene.differences).toEqual([]);
  });

  it("does not accept a position that agrees only because of a trade reported meanwhile, however late it is listed", () => {
    const scene = new Scene().start();
    const toldAtMs = scene.nowMs;
    scene.instead = ({ ask }) =>
      ask === "balances" && scene.nowMs < toldAtMs + 32_000 ? TIMEOUT : undefined;
    let trades = true;
    scene.meanwhile = ({ ask }) => {
      if (
        ask !== "userTrades" ||
        scene.asked.at(-2)?.ask !== "balances" ||
        scene.nowMs < toldAtMs + 32_000 ||
        !trades
      )
        return;
      trades = false;
      scene.trades(4, "SELL");
    };
    scene.streams(scene.applies(loses(4), "LIQUIDATED"));
    scene.wait(1000).streamDown().streamUp();
    expect([...knownPositions(scene, 60_000)]).toEqual([-3]);
    expect([trades, scene.position, scene.differences]).toEqual([false, -3, []]);
  });

  it("does not wait for a trade that never settles", () => {
    const scene = new Scene().start();
    unsettled(scene, 1, "BUY", 3);
    scene.streams(scene.applies(loses(4), "LIQUIDATED"));
    scene.wait(40_000);
    expect([scene.position, scene.account.isPositionKnown(MARKET), scene.differences]).toEqual([
      4,
      true,
      [],
    ]);
  });
});

describe("the own account liquidated by a fraction of a lot", () => {
  const PER_LOT = 10n ** 15n;
  const HALF = PER_LOT / 2n;

  /** Liquidates so much paper, at two per cent off the mark. */
  function loses(scene: Scene, paper: bigint): Scene {
    const { exchange } = scene;
    const value = (paper: bigint) => (paper * scene.mark) / 10n ** 18n;
    const before = value(exchange.paper);
    const amount = (value(paper) * 98n) / 100n;
    exchange.restPaper -= paper;
    exchange.netValue += amount + value(exchange.paper) - before;
    const income = {
      id: newIncomeId(),
      type: "LIQUIDATED",
      amount,
      timeMs: exchange.timeMs,
      marketId: MARKET,
    };
    exchange.incomes.push(income);
    return scene.streams(income);
  }

  it("values the sub-lot balance at the mark: the parts of the profit sum to the unit, and nothing is a difference", () => {
    const scene = loses(new Scene().start(), 2n * PER_LOT + HALF);
    expect(scene.position, "what orders can trade").toBe(2);
    expect(
      scene.liquidation,
      "two per cent of two lots and a half, and none of the half that is left",
    ).toBe((-5n * LOT_VALUE) / 100n);
    scene
      .agrees()
      .marks(MARK + 7_777_777n)
      .agrees();
    expect(scene.liquidation).toBe((-5n * LOT_VALUE) / 100n);
  });

  it("keeps the sub-lot balance through trades, even past zero, until another liquidation takes it", () => {
    const scene = loses(new Scene().start(), 2n * PER_LOT + HALF).agrees();
    scene.trades(3, "SELL");
    expect(scene.position).toBe(-1);
    scene.wait(40_000);
    expect(
      [scene.position, scene.differences, scene.exchange.paper],
      "half a lot short by the contract",
    ).toEqual([-1, [], -HALF]);
    scene.marks(MARK - 123_456n).agrees();
    scene.trades(3, "BUY").agrees();
    loses(scene, 2n * PER_LOT + HALF);
    expect([scene.position, scene.exchange.paper]).toEqual([0, 0n]);
    scene.agrees().marks(MARK).agrees();
  });

  it("also for less than one lot, and for a balance from before the run", () => {
    const scene = loses(new Scene().start(), HALF);
    expect(scene.position).toBe(4);
    loses(scene, HALF);
    expect(scene.position).toBe(4);
    scene.agrees();

    const later = new Scene();
    later.exchange.restPaper = -HALF;
    later.start();
    expect(later.position).toBe(4);
    later.marks(MARK + 999_999n).agrees();
  });
});

describe("the profit of a liquidation", () => {
  const move = fc.oneof(
    fc.record({ kind: fc.constant("mid" as const), by: fc.integer({ min: -500, max: 500 }) }),
    fc.record({
      kind: fc.constant("mark" as const),
      by: fc.integer({ min: -90_000_000, max: 90_000_000 }),
    }),
    fc.record({
      kind: fc.constant("fill" as const),
      by: fc.integer({ min: -20, max: 20 }).filter((lots) => lots !== 0),
    }),
    fc.record({
      kind: fc.constant("taken" as const),
      by: fc.integer({ min: -20, max: 20 }).filter((lots) => lots !== 0),
    }),
  );

  it("is measured against the mark, and the parts still sum to the change of the net value", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9, max: 9 }),
        fc.array(move, { maxLength: 30 }),
        (start, moves) => {
          const profit = new AccountProfit(new Map([[MARKET, INSTRUMENT]]));
          let mark = MARK;
          let mid = 1_200_000;
          let lots = start;
          let credit = 0n;
          const netValue = () =>
            credit + (BigInt(lots) * INSTRUMENT.paperPerLot * mark) / 10n ** 18n;
          profit.mark(MARKET, mark);
          profit.mid(MARKET, mid);
          profit.begin(MARKET, start);
          const before = netValue();
          let liquidation = 0n;
          moves.forEach(({ kind, by }, id) => {
            if (kind === "mid") {
              mid += by;
              profit.mid(MARKET, mid);
            } else if (kind === "mark") {
              mark += BigInt(by);
              profit.mark(MARKET, mark);
            } else if (kind === "fill") {
              const quote = BigInt(Math.abs(by)) * 60_000_007n;
              profit.fill(
                venueTrade(id, by > 0 ? "BUY" : "SELL", Math.abs(by), {
                  ticks: 600_000,
                  quote,
                  commission: 11n,
                }),
              );
              lots += by;
              credit -= (by > 0 ? quote : -quote) + 11n;
            } else {
              const worth = netValue();
              profit.liquidation(MARKET, by, creditOf(by));
              lots += by;
              credit += creditOf(by);
              liquidation += netValue() - worth;
            }
          });
          const parts = profit.parts();
          const scale = 10n ** BigInt(parts.decimals - 6);
          expect(parts.total).toBe((netValue() - before) * scale);
          expect(parts.liquidation).toBe(liquidation * scale);
        },
      ),
    );
  });
});

describe("a liquidation that is on the stream and not yet in the lists", () => {
  const taken = { lots: 3, credit: -(3n * LOT_VALUE * 98n) / 100n };

  it("waits while the list may be older than it states", () => {
    const scene = new Scene().start();
    const income = scene.applies(taken);
    scene.exchange.basePosition -= taken.lots;
    scene.streams(income);
    for (let second = 0; second < 4; second++) {
      expect(scene.account.positionUncertainty(MARKET)).toBe("liquidation");
      scene.wait(1_000);
    }
    scene.exchange.basePosition += taken.lots;
    scene.wait(4_000);
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([8, true]);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toEqual([]);
    scene.agrees();
  });

  it("changes only credit if list and stream show no move", () => {
    const scene = new Scene().start();
    const income = scene.applies(taken);
    scene.exchange.basePosition -= taken.lots;
    scene.streams(income);
    scene.wait(10_000);
    expect([scene.position, scene.account.isPositionKnown(MARKET)]).toEqual([5, true]);
  });
});
