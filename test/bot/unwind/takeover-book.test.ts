import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Takeover } from "#account/takeover.js";
import { CorruptStateError, MemoryStateStore } from "#bot/state-dir.js";
import {
  readStoredTakeovers,
  TAKEOVERS_FILE,
  writeStoredTakeovers,
} from "#bot/stored-takeovers.js";
import {
  computeRemainingLots,
  computeSoldLots,
  TakeoverRegistry,
  toUnwindReport,
  type UnwindTerms,
} from "#bot/takeover-registry.js";
import type { CreditUnits, Lots, Side } from "#core/units.js";
import { MARKET, venueTrade } from "../../account/exchange-story.js";

const terms: UnwindTerms = {
  part: { takingFromMs: 0, stepMs: 1_000, holdLots: [10, 0] },
  worstTicks: 1,
  deadlineMs: 1_000,
};
/** Half a lot is one unit of paper. */
const PER_LOT = 2n;
const LOT_VALUE = 600n;
const GRIDS = new Map([[MARKET, { tickSize: "0.1", stepSize: "0.001" }]]);
const atMark = (_market: string, lots: Lots): CreditUnits => BigInt(lots) * LOT_VALUE;

function takeover(id: string, lots: Lots): Takeover {
  return { id, marketId: MARKET, lots, credit: -BigInt(lots) * 594n, atMs: 0 };
}

function bookOf(...takeovers: readonly Takeover[]): TakeoverRegistry {
  const book = new TakeoverRegistry();
  for (const one of takeovers) book.acquire(one, terms, 0);
  return book;
}

function trade(id: number, side: Side, lots: Lots, quote = BigInt(lots) * 601n, commission = 7n) {
  return venueTrade(id, side, lots, { quote, commission });
}

const halvesOf = ({
  lots,
  restPaper = 0n,
}: {
  readonly lots: Lots;
  readonly restPaper?: bigint;
}): number => 2 * lots + Number(restPaper);

const told = (book: TakeoverRegistry) => book.all.map((one) => toUnwindReport(one, atMark));

describe("the takeover registry", () => {
  it("assigns fills to the oldest first, money and fees by their lots, to the unit", () => {
    const book = bookOf(takeover("a", 4), takeover("b", 6));
    expect(
      book.fill(trade(1, "SELL", 7, 4_201n, 8n), PER_LOT).map((one) => one.takeover.id),
    ).toEqual(["a", "b"]);
    expect(told(book)).toMatchObject([
      {
        state: "done",
        soldLots: 4,
        remainingLots: 0,
        proceedsCredit: 2_400n,
        feesCredit: 4n,
        markCredit: 0n,
      },
      {
        state: "open",
        soldLots: 3,
        remainingLots: 3,
        proceedsCredit: 1_801n,
        feesCredit: 4n,
        markCredit: 1_800n,
      },
    ]);
    expect(book.fill(trade(1, "SELL", 7), PER_LOT), "told again").toEqual([]);
    expect(book.fill(trade(2, "BUY", 5), PER_LOT), "what adds is nobody's unwinding").toEqual([]);
  });

  it("assigns a fill to the oldest whose limit price allows it, or to the oldest if none does", () => {
    const book = new TakeoverRegistry();
    book.acquire(takeover("a", 4), { ...terms, worstTicks: 600 }, 0);
    book.acquire(takeover("b", 6), { ...terms, worstTicks: 500 }, 0);
    const sold = (id: number, lots: Lots, ticks: number) => {
      book.fill({ ...trade(id, "SELL", lots), ticks }, PER_LOT);
      return told(book).map(({ soldLots }) => soldLots);
    };
    expect(sold(1, 2, 599)).toEqual([0, 2]);
    expect(sold(2, 1, 600)).toEqual([1, 2]);
    expect(sold(3, 1, 499)).toEqual([2, 2]);
    expect(sold(4, 6, 550), "what is left over by those who bear it").toEqual([4, 6]);
  });

  it("assigns no lots that are sold beyond all takeovers", () => {
    const book = bookOf(takeover("a", -4));
    book.fill(trade(1, "BUY", 9, 5_400n, 9n), PER_LOT);
    expect(told(book)).toMatchObject([
      { state: "done", soldLots: -4, proceedsCredit: -2_400n, feesCredit: 4n },
    ]);
  });

  it("reverts a failed settlement and reopens its takeover; after the deadline it reports the remainder again", () => {
    const book = bookOf(takeover("a", 4));
    book.fill(trade(1, "SELL", 4), PER_LOT);
    expect(book.failed(trade(1, "SELL", 4), 500)).toHaveLength(1);
    expect(told(book)).toMatchObject([
      { state: "open", soldLots: 0, remainingLots: 4, proceedsCredit: 0n, feesCredit: 0n },
    ]);
    book.fill(trade(2, "SELL", 4), PER_LOT);
    book.failed(trade(2, "SELL", 4), 1_500);
    expect(told(book)).toMatchObject([{ state: "expired", remainingLots: 4 }]);
    expect(book.failed(trade(3, "SELL", 4), 500), "a trade that was none of ours").toEqual([]);
  });

  it("closes opposite takeovers against each other, and against what the account held, at the mark", () => {
    const book = bookOf(takeover("a", 10), takeover("b", -4));
    book.net(MARKET, 6, atMark);
    expect(told(book)).toMatchObject([
      { state: "open", soldLots: 4, nettedLots: 4, remainingLots: 6, proceedsCredit: 2_400n },
      { state: "done", soldLots: -4, nettedLots: -4, remainingLots: 0, proceedsCredit: -2_400n },
    ]);
    expect(book.net(MARKET, 6, atMark)).toEqual([]);
    book.net(MARKET, 2, atMark);
    expect(told(book)[0]).toMatchObject({ nettedLots: 8, remainingLots: 2 });
    book.net(MARKET, 1, () => undefined);
    expect(told(book)[0], "without a mark nothing is closed yet").toMatchObject({
      remainingLots: 2,
    });
  });

  it("buys back the sold part of a takeover that the chain reverted", () => {
    const book = bookOf(takeover("a", 10));
    book.fill(trade(1, "SELL", 3, 1_800n, 3n), PER_LOT);
    book.revert("a", PER_LOT, () => terms);
    expect(told(book)).toMatchObject([
      { state: "open", acquiredLots: 0, acquiredCredit: 0n, soldLots: 3, remainingLots: -3 },
    ]);
    book.fill(trade(2, "BUY", 3, 1_830n, 3n), PER_LOT);
    expect(told(book)).toMatchObject([
      { state: "undone", soldLots: 0, remainingLots: 0, proceedsCredit: -30n, feesCredit: 6n },
    ]);
    expect([
      book.revert("a", PER_LOT, () => terms),
      book.revert("nobody", PER_LOT, () => terms),
    ]).toEqual([undefined, undefined]);
  });

  it("buys back no more than was sold between the steps, and does not round the last part of a lot up", () => {
    const book = bookOf(takeover("a", 10));
    const halves = (id: number, side: Side, count: number) => ({
      ...trade(id, side, Math.floor(count / 2)),
      restPaper: BigInt(count % 2),
    });
    book.fill(halves(1, "SELL", 3), PER_LOT);
    book.fill(halves(2, "SELL", 2), PER_LOT);
    expect(told(book)).toMatchObject([{ remainingLots: 7 }]);
    book.revert("a", PER_LOT, () => terms);
    expect(told(book), "of two and a half").toMatchObject([{ remainingLots: -2, soldLots: 2 }]);
    const [one] = book.fill(halves(3, "BUY", 9), PER_LOT);
    expect(one?.shares.at(-1)).toMatchObject({ lots: -2, proceeds: -((4n * 601n * 2n * 2n) / 9n) });
    expect(told(book)).toMatchObject([{ state: "undone", remainingLots: 0 }]);
  });

  it("expires takeovers, and forgets those that ended long ago", () => {
    const book = bookOf(takeover("a", 10));
    expect(book.expire(999)).toEqual([]);
    expect(book.expire(1_000)).toHaveLength(1);
    book.forget(1_000);
    expect(book.get("a")).toBeDefined();
    book.forget(1_001);
    expect(book.get("a")).toBeUndefined();
  });

  it("is restored unchanged from the state directory, and refuses a corrupt file", () => {
    const book = bookOf(takeover("a", 4), takeover("b", -6));
    book.fill(trade(1, "SELL", 3), PER_LOT);
    const store = new MemoryStateStore();
    expect(readStoredTakeovers(store, GRIDS)).toBeUndefined();
    const memory = {
      known: book.all,
      said: [
        { ...takeover("a", 4), isTold: true },
        { ...takeover("b", -6), isTold: false },
      ],
      grids: { [MARKET]: { tickSize: "0.1", stepSize: "0.001" } },
    };
    writeStoredTakeovers(store, memory);
    expect(readStoredTakeovers(store, GRIDS)).toEqual(memory);
    for (const broken of [
      '{"known":[{}],"said":[]}',
      '{"known":[]}',
      store.read(TAKEOVERS_FILE)?.replace('"isTold":true', '"isTold":1') ?? "",
      "[]",
      store.read(TAKEOVERS_FILE)?.replace('"open"', '"opened"') ?? "",
      store.read(TAKEOVERS_FILE)?.replace('"0.001"', '"0"') ?? "",
      store.read(TAKEOVERS_FILE)?.replace('"0.001"', "0.001") ?? "",
    ]) {
      expect(() =>
        readStoredTakeovers(new MemoryStateStore({ [TAKEOVERS_FILE]: broken }), GRIDS),
      ).toThrow(CorruptStateError);
    }
  });

  const step = fc.oneof(
    fc.record({
      kind: fc.constant("inherit" as const),
      lots: fc.integer({ min: -20, max: 20 }).filter((lots) => lots !== 0),
    }),
    fc.record({
      kind: fc.constant("trade" as const),
      lots: fc.integer({ min: -15, max: 15 }).filter((lots) => lots !== 0),
    }),
    fc.record({ kind: fc.constant("fail" as const), lots: fc.nat() }),
    fc.record({ kind: fc.constant("undo" as const), lots: fc.nat() }),
  );

  it("counts a partly sold lot as sold, and the next part of it as no more lots, money and fees to the unit", () => {
    const book = bookOf(takeover("a", 3), takeover("b", 3));
    const odd = (id: number, halves: number) => ({
      ...trade(id, "SELL", Math.floor(halves / 2), BigInt(halves) * 300n, BigInt(halves)),
      restPaper: BigInt(halves % 2),
    });
    const left = (): readonly number[] => told(book).map(({ remainingLots }) => remainingLots);
    book.fill(odd(1, 3), PER_LOT);
    expect(left(), "a lot and a half of three").toEqual([1, 3]);
    book.fill(odd(2, 1), PER_LOT);
    expect(left()).toEqual([1, 3]);
    book.fill(odd(3, 3), PER_LOT);
    expect(left(), "two halves are left to the first, one goes to the next").toEqual([0, 2]);
    expect(told(book)).toMatchObject([
      { state: "done", proceedsCredit: 1_800n, feesCredit: 6n },
      { state: "open", proceedsCredit: 300n, feesCredit: 1n },
    ]);
    const store = new MemoryStateStore();
    writeStoredTakeovers(store, { known: book.all, said: [], grids: Object.fromEntries(GRIDS) });
    expect(readStoredTakeovers(store, GRIDS)?.known).toEqual(book.all);
    book.failed(odd(3, 3), 0);
    expect(left()).toEqual([1, 3]);
  });

  it("keeps acquired = sold + remaining, never more than the account has, and every unit of a trade, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -9, max: 9 }),
        fc.array(step, { maxLength: 25 }),
        (start, steps) => {
          const book = new TakeoverRegistry();
          let positionHalves = 2 * start;
          const trades = new Map<number, ReturnType<typeof trade>>();
          steps.forEach(({ kind, lots }, number) => {
            if (kind === "inherit") {
              book.acquire(takeover(`${number}`, lots), { ...terms, deadlineMs: 1e9 }, 0);
              positionHalves += 2 * lots;
            } else if (kind === "trade") {
              const halves = Math.abs(lots);
              const rest = halves % 2 === 1 ? { restPaper: 1n } : {};
              const made = {
                ...trade(
                  number,
                  lots > 0 ? "BUY" : "SELL",
                  Math.floor(halves / 2),
                  BigInt(halves) * 300n,
                ),
                ...rest,
              };
              trades.set(number, made);
              book.fill(made, PER_LOT);
              positionHalves += lots;
            } else if (kind === "fail" && trades.size > 0) {
              const [id, made] = [...trades][lots % trades.size];
              trades.delete(id);
              book.failed(made, 0);
              positionHalves -= (made.side === "BUY" ? 1 : -1) * halvesOf(made);
            } else if (kind === "undo" && book.all.length > 0) {
              const one = book.all[lots % book.all.length];
              if (
                book.revert(one.takeover.id, PER_LOT, () => ({ ...terms, deadlineMs: 1e9 })) !==
                undefined
              )
                positionHalves -= 2 * one.takeover.lots;
            }
            const positionLots = Math.trunc(positionHalves / 2);
            book.net(MARKET, positionLots, atMark);
            for (const one of book.all) {
              expect(computeSoldLots(one) + computeRemainingLots(one)).toBe(
                one.isUndone ? 0 : one.takeover.lots,
              );
              expect(computeRemainingLots(one) === 0 ? one.state : "open").toBe(one.state);
            }
            const openLots = book.openLots(MARKET);
            expect(Math.abs(openLots)).toBeLessThanOrEqual(Math.abs(positionLots));
            expect(openLots * positionLots).toBeGreaterThanOrEqual(0);
            for (const [id, made] of trades) {
              const shares = book.all.flatMap((one) =>
                one.shares.filter(({ tradeId }) => tradeId === `${id}`),
              );
              const shared = shares.reduce(
                (sum, share) => sum + halvesOf({ ...share, lots: Math.abs(share.lots) }),
                0,
              );
              expect(shared).toBeLessThanOrEqual(halvesOf(made));
              const fees = shares.reduce((sum, { fee }) => sum + fee, 0n);
              if (shared === halvesOf(made)) expect(fees).toBe(made.commission);
            }
          });
        },
      ),
    );
  });
});
