import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Profit } from "../../src/account/profit.js";
import type { Takeover } from "../../src/account/takeover.js";
import type { CreditUnits, Lots, Side } from "../../src/core/units.js";
import type { VenueIncome } from "../../src/exchange/records.js";
import { INSTRUMENT, MARKET, T0, venueTrade } from "./exchange-story.js";
import { Story } from "./scripted-exchange.js";

/** 60,000 a base: credit units. A lot of 0.001 is worth 60,000,000 of them. */
const MARK = 60_000_000_000n;
const LOT_VALUE = 60_000_000n;

/** A long position bought one per cent below the mark, or a short one sold as much above it. */
function takeover(lots: Lots, id = "tx 1", atMs = T0): Takeover {
  return { id, marketId: MARKET, lots, credit: creditOf(lots), atMs };
}

function creditOf(lots: Lots): CreditUnits {
  return (-BigInt(lots) * LOT_VALUE * (lots > 0 ? 99n : 101n)) / 100n;
}

/** What the discount of one per cent comes to. */
function discount(lots: Lots): CreditUnits {
  return (BigInt(Math.abs(lots)) * LOT_VALUE) / 100n;
}

let incomes = 0;

/** An account with a book, a mark and a position of 5, and what its exchange does about a liquidation. */
class Scene extends Story {
  #trades = 0;
  readonly startNetValue: CreditUnits;

  constructor(options: ConstructorParameters<typeof Story>[0] = { takeoversBefore: [] }) {
    super(options);
    this.exchange.basePosition = 5;
    this.startNetValue = this.exchange.netValue;
    this.take(this.account.onEvent({ type: "market-state", marketId: MARKET, mark: MARK } as never, this.nowMs));
    this.account.onMid(MARKET, 1_200_000);
  }

  says(said: Takeover): this {
    return this.take(this.account.takeOver(said, this.nowMs));
  }

  undoes(id: string): this {
    return this.take(this.account.undoTakeover(id, this.nowMs));
  }

  /** The exchange takes the liquidation in, and says nothing yet. */
  applies({ lots, credit }: Pick<Takeover, "lots" | "credit">, type = "LIQUIDATE"): VenueIncome {
    this.exchange.basePosition += lots;
    this.exchange.netValue += credit + BigInt(lots) * LOT_VALUE;
    const income = { id: `${++incomes}`, type, amount: credit, timeMs: this.exchange.timeMs, marketId: MARKET };
    this.exchange.incomes.push(income);
    return income;
  }

  streams(income: VenueIncome): this {
    return this.take(this.account.onEvent({ type: "income-update", incomes: [income], timestampMs: this.nowMs } as never, this.nowMs));
  }

  mark = MARK;

  /** The mark moves, and the exchange's valuation with it. */
  marks(mark: CreditUnits): this {
    const value = (at: CreditUnits) => (this.exchange.paper * at) / 10n ** 18n;
    const moved = value(mark) - value(this.mark);
    this.exchange.netValue += moved;
    this.exchange.valuation += moved;
    this.mark = mark;
    return this.take(this.account.onEvent({ type: "market-state", marketId: MARKET, mark } as never, this.nowMs));
  }

  /** The account trades at the mark, for nothing. */
  trades(lots: Lots, side: Side): this {
    const quote = BigInt(lots) * 60_000_000n;
    const before = (this.exchange.paper * this.mark) / 10n ** 18n;
    const trade = venueTrade(++this.#trades, side, lots, { quote, commission: 0n, timeMs: this.exchange.timeMs, status: "SETTLED" });
    this.exchange.trades.push(trade);
    this.exchange.netValue += (this.exchange.paper * this.mark) / 10n ** 18n - before + (side === "SELL" ? quote : -quote);
    return this.take(this.account.onEvent({ type: "trade-update", trade } as never, this.nowMs));
  }

  get position(): Lots {
    return this.account.positionLots(MARKET);
  }

  get liquidation(): CreditUnits {
    const { liquidation, decimals } = this.account.profit();
    return liquidation / 10n ** BigInt(decimals - 6);
  }

  /** Position and profit are the exchange's, to the lot and to the unit, and no difference was ever called one. */
  agrees(startNetValue = this.startNetValue): this {
    this.wait(40_000);
    const { paper } = this.exchange;
    const beyond = paper - BigInt(this.position) * INSTRUMENT.paperPerLot;
    const isWhole = paper % INSTRUMENT.paperPerLot === 0n;
    expect(isWhole ? beyond === 0n : beyond ** 2n < INSTRUMENT.paperPerLot ** 2n, `${beyond} beyond ${this.position} lots`).toBe(true);
    const { total, transfers, decimals } = this.account.profit();
    expect(total + transfers).toBe((this.exchange.netValue - startNetValue) * 10n ** BigInt(decimals - 6));
    expect(this.account.equity).toBe(this.exchange.netValue);
    expect(this.differences).toEqual([]);
    return this;
  }
}

describe.each([10, -10])("a position of %d lots taken over", (lots) => {
  const said = takeover(lots);

  it("counts at once, before the exchange has told it, and once when it has", () => {
    const scene = new Scene().start().says(said);
    expect(scene.position).toBe(5 + lots);
    expect(scene.liquidation).toBe(discount(lots));
    scene.wait(60_000);
    expect([scene.position, scene.differences], "the exchange may lag behind the chain").toEqual([5 + lots, []]);
    scene.streams(scene.applies(said)).agrees();
    expect(scene.liquidation).toBe(discount(lots));
  });

  it("said twice counts once", () => {
    const scene = new Scene().start().says(said).says(said);
    scene.applies(said);
    scene.says(said).agrees();
  });

  it("told by the exchange first is found within a question, and is the same one when it is said", () => {
    const scene = new Scene().start();
    scene.streams(scene.applies(said));
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    scene.says(said);
    expect(scene.position).toBe(5 + lots);
    expect(scene.changes.at(-1)).toMatchObject({ kind: "liquidation", lots: 0, credit: 0n, takeoverId: "tx 1" });
    scene.agrees();
  });

  it("is told by the position alone, and its income comes last", () => {
    const scene = new Scene().start();
    const income = scene.applies(said);
    scene.exchange.incomes.pop();
    scene.wait(65_000);
    expect(scene.changes.filter(({ kind }) => kind === "position-set")).toHaveLength(1);
    scene.says(said);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    scene.exchange.incomes.push(income);
    scene.streams(income).wait(40_000);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
    expect(scene.account.profit().other, "the correction is a takeover now").toBe(0n);
  });

  it("is said long after the exchange has told its position alone, and is found by its block's time", () => {
    const scene = new Scene().start();
    const income = scene.applies(said);
    scene.exchange.incomes.pop();
    scene.wait(65_000);
    scene.wait(3_600_000).says(said).says(said);
    expect([scene.position, scene.liquidation, scene.account.profit().other]).toEqual([5 + lots, discount(lots), 0n]);
    scene.exchange.incomes.push(income);
    scene.streams(income).wait(40_000);
    expect([scene.position, scene.liquidation]).toEqual([5 + lots, discount(lots)]);
  });

  it("is said long after it and its opposite have moved nothing: the exchange's position has had it", () => {
    const scene = new Scene().start();
    const taken = scene.applies(said);
    const lost = scene.applies({ lots: -lots, credit: creditOf(-lots) }, "LIQUIDATED");
    scene.streams(taken).streams(lost).wait(200_000).says(said);
    expect(scene.position).toBe(5);
    scene.agrees();

    const unpaid = new Scene().start().wait(200_000).says(said);
    expect(unpaid.position, "told by nothing but a position that agrees").toBe(5);
    const early = new Scene().start().wait(100_000).says(said);
    expect(early.position, "the exchange may lag behind the chain").toBe(5 + lots);
  });

  it("is taken back in a later run, when the exchange's position had it from the start", () => {
    const before = takeover(lots, "tx 1", T0 - 600_000);
    const scene = new Scene({ takeoversBefore: [{ ...before, isTold: true }] });
    scene.exchange.basePosition += lots;
    scene.start().undoes("tx 1");
    expect(scene.position).toBe(5);
    scene.streams(scene.applies({ lots: -lots, credit: -before.credit })).wait(40_000);
    expect([scene.position, scene.differences]).toEqual([5, []]);
  });

  it("is taken back by a reorganisation of the chain, whether the exchange had told it or not", () => {
    const untold = new Scene().start().says(said).undoes("tx 1");
    expect([untold.position, untold.liquidation]).toEqual([5, 0n]);
    untold.undoes("tx 1").undoes("never said").agrees();

    const told = new Scene().start().says(said);
    told.streams(told.applies(said)).wait(5_000).undoes("tx 1");
    expect(told.position).toBe(5);
    told.wait(31_000);
    expect([told.position, told.differences], "the exchange follows the chain later").toEqual([5, []]);
    told.streams(told.applies({ lots: -lots, credit: -said.credit }));
    told.agrees();
  });

  it("survives a restart: in the position that the exchange begins with, or not in it yet", () => {
    const inBase = new Scene({ takeoversBefore: [{ ...said, isTold: false }] });
    inBase.applies(said);
    const startNetValue = inBase.exchange.netValue;
    inBase.wait(10).start();
    expect(inBase.position).toBe(5 + lots);
    inBase.says(said).agrees(startNetValue);

    const notYet = new Scene({ takeoversBefore: [{ ...said, isTold: false }] }).start();
    expect([notYet.position, notYet.liquidation]).toEqual([5 + lots, discount(lots)]);
    notYet.streams(notYet.applies(said)).agrees();
  });

  it("that the exchange's position has had is not counted again by a restart, though no income tells of it", () => {
    const before = new Scene().start().says(said);
    before.applies(said);
    before.exchange.incomes.pop();
    before.agrees();
    expect(before.account.takeovers).toEqual([{ ...said, isTold: true }]);

    const after = new Scene({ takeoversBefore: before.account.takeovers });
    after.applies(said);
    after.exchange.incomes.pop();
    const startNetValue = after.exchange.netValue;
    after.wait(10).start();
    expect([after.position, after.liquidation]).toEqual([5 + lots, 0n]);
    after.says(said).agrees(startNetValue);
  });

  it("mined before the start and said after it counts only where the exchange did not have it", () => {
    const had = new Scene();
    had.applies(said);
    const startNetValue = had.exchange.netValue;
    had.wait(10).start().says(said);
    expect(had.position).toBe(5 + lots);
    had.agrees(startNetValue);

    const lacked = new Scene().start().says(said);
    expect(lacked.position).toBe(5 + lots);
    lacked.streams(lacked.applies(said)).agrees();
  });

  it("said before the account is confirmed waits for that", () => {
    const scene = new Scene().says(said);
    expect(scene.position).toBe(0);
    scene.start();
    expect(scene.position).toBe(5 + lots);
  });
});

describe("several takeovers of a market", () => {
  it("are told apart by their credit, in any order", () => {
    const first = takeover(10, "a");
    const second = takeover(-4, "b");
    const third = takeover(3, "c");
    const scene = new Scene().start().says(first);
    scene.streams(scene.applies(third));
    expect(scene.position, "the third is found though the first is not told yet").toBe(18);
    scene.says(second).says(third);
    expect(scene.position).toBe(14);
    scene.streams(scene.applies(second)).streams(scene.applies(first)).agrees();
  });
});

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

  it("by a price that is none leaves the position to be looked at twice", () => {
    const scene = new Scene().start();
    scene.streams(scene.applies({ lots: -5, credit: LOT_VALUE }, "LIQUIDATED"));
    expect(scene.position).toBe(5);
    scene.wait(10_000);
    expect([scene.position, scene.liquidation]).toEqual([0, LOT_VALUE]);
    expect(scene.differences).toEqual(["position"]);
  });
});

describe("the own account liquidated by a part of a lot", () => {
  const PER_LOT = 10n ** 15n;
  const HALF = PER_LOT / 2n;

  /** So much paper goes, at two per cent off the mark. */
  function loses(scene: Scene, paper: bigint): Scene {
    const { exchange } = scene;
    const value = (paper: bigint) => (paper * scene.mark) / 10n ** 18n;
    const before = value(exchange.paper);
    const amount = (value(paper) * 98n) / 100n;
    exchange.restPaper -= paper;
    exchange.netValue += amount + value(exchange.paper) - before;
    const income = { id: `${++incomes}`, type: "LIQUIDATED", amount, timeMs: exchange.timeMs, marketId: MARKET };
    exchange.incomes.push(income);
    return scene.streams(income);
  }

  it("keeps what is beyond whole lots at the mark: the parts of the profit sum to the unit, and nothing is a difference", () => {
    const scene = loses(new Scene().start(), 2n * PER_LOT + HALF);
    expect(scene.position, "what orders can trade").toBe(2);
    expect(scene.liquidation, "two per cent of two lots and a half, and none of the half that is left").toBe((-5n * LOT_VALUE) / 100n);
    scene
      .agrees()
      .marks(MARK + 7_777_777n)
      .agrees();
    expect(scene.liquidation).toBe((-5n * LOT_VALUE) / 100n);
  });

  it("stays so through trades, also past zero, until another liquidation takes it", () => {
    const scene = loses(new Scene().start(), 2n * PER_LOT + HALF).agrees();
    scene.trades(3, "SELL");
    expect(scene.position).toBe(-1);
    scene.wait(40_000);
    expect([scene.position, scene.differences, scene.exchange.paper], "half a lot short by the contract").toEqual([-1, [], -HALF]);
    scene.marks(MARK - 123_456n).agrees();
    scene.trades(3, "BUY").agrees();
    loses(scene, 2n * PER_LOT + HALF);
    expect([scene.position, scene.exchange.paper]).toEqual([0, 0n]);
    scene.agrees().marks(MARK).agrees();
  });

  it("also of less than one lot, and of one that the run began with", () => {
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
    fc.record({ kind: fc.constant("mark" as const), by: fc.integer({ min: -90_000_000, max: 90_000_000 }) }),
    fc.record({ kind: fc.constant("fill" as const), by: fc.integer({ min: -20, max: 20 }).filter((lots) => lots !== 0) }),
    fc.record({ kind: fc.constant("taken" as const), by: fc.integer({ min: -20, max: 20 }).filter((lots) => lots !== 0) }),
  );

  it("is measured against the mark, and the parts still sum to the change of the net value", () => {
    fc.assert(
      fc.property(fc.integer({ min: -9, max: 9 }), fc.array(move, { maxLength: 30 }), (start, moves) => {
        const profit = new Profit(new Map([[MARKET, INSTRUMENT]]));
        let mark = MARK;
        let mid = 1_200_000;
        let lots = start;
        let credit = 0n;
        const netValue = () => credit + (BigInt(lots) * INSTRUMENT.paperPerLot * mark) / 10n ** 18n;
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
            profit.fill(venueTrade(id, by > 0 ? "BUY" : "SELL", Math.abs(by), { ticks: 600_000, quote, commission: 11n }));
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
      }),
    );
  });
});
