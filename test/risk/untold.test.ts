import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observeEquity, type PeakEquity } from "#risk/drawdown.js";
import {
  GAIN_EXPLAINED_WITHIN_MS,
  LISTED_WITHIN_MS,
  LOSS_EXPLAINED_WITHIN_MS,
  observeUnexplainedEquity,
  type UnexplainedEquity,
} from "#risk/unexplained-equity.js";

const LOOK_MS = 500;
const MAX = 500n;

/** The drawdown of an account whose balances and books differ. */
class Watched {
  #peak: PeakEquity | undefined;
  #untold: UnexplainedEquity | undefined;
  #nowMs = 0;
  /** Time of the last list of incomes; always the present by default. */
  listedAtMs: number | undefined;

  /**
   * @param told trading and transfers according to the balances
   * @param explained trading and transfers according to the books
   */
  look(told: bigint, explained: bigint, netDeposits: bigint): boolean {
    this.#nowMs += LOOK_MS;
    const { state, possibleTransfer } = observeUnexplainedEquity(
      this.#untold,
      told - explained,
      this.#nowMs,
      this.listedAtMs ?? this.#nowMs,
    );
    this.#untold = state;
    const { peak, isOver } = observeEquity(
      this.#peak,
      { equity: told, netDeposits, possibleTransfer },
      MAX,
    );
    this.#peak = peak;
    return isOver;
  }
}

const profits = fc.array(fc.bigInt({ min: -200n, max: 150n }), { minLength: 10, maxLength: 120 });

describe("a net value above or below the explained one", () => {
  it("never halts for a transfer reported in time, and halts no later for a loss", () => {
    const transfer = fc.oneof(
      fc.record({
        at: fc.nat(100),
        amount: fc.bigInt({ min: 1n, max: 5_000n }),
        lagLooks: fc.nat(GAIN_EXPLAINED_WITHIN_MS / LOOK_MS - 1),
      }),
      fc.record({
        at: fc.nat(100),
        amount: fc.bigInt({ min: -5_000n, max: -1n }),
        lagLooks: fc.nat(LOSS_EXPLAINED_WITHIN_MS / LOOK_MS - 1),
      }),
    );
    fc.assert(
      fc.property(profits, transfer, (path, { at, amount, lagLooks }) => {
        const watched = new Watched();
        let trading = 100_000n;
        let ideal: PeakEquity | undefined;
        for (const [look, profit] of path.entries()) {
          trading += profit;
          const inBalances = look >= at ? amount : 0n;
          const inBooks = look >= at + lagLooks ? amount : 0n;
          const truth = observeEquity(ideal, { equity: trading, netDeposits: 0n }, MAX);
          ideal = truth.peak;
          const isOver = watched.look(trading + inBalances, trading + inBooks, inBooks);
          if (isOver) expect(truth.isOver, "a false halt").toBe(true);
          else if (inBalances === inBooks && look < at)
            expect(truth.isOver, "a halt that is missing").toBe(false);
        }
      }),
    );
  });

  it.each([5_000n, -5_000n])(
    "counts a transfer of %s once if the balances include it first and the books later",
    (amount) => {
      const watched = new Watched();
      expect(watched.look(100_000n + amount, 100_000n, 0n)).toBe(false);
      for (let look = 0; look < 100; look++)
        expect(watched.look(100_000n + amount, 100_000n + amount, amount), `look ${look}`).toBe(
          false,
        );
      expect(watched.look(99_499n + amount, 99_499n + amount, amount), "a loss of 501").toBe(true);
    },
  );

  it("halts at the first check for a loss that the books explain", () => {
    fc.assert(
      fc.property(profits, fc.bigInt({ min: -1_000n, max: 1_000n }), (path, apart) => {
        const watched = new Watched();
        let trading = 100_000n;
        for (let look = 0; look <= GAIN_EXPLAINED_WITHIN_MS / LOOK_MS; look++)
          watched.look(trading, trading + apart, 0n);
        let plain: PeakEquity | undefined = { peak: trading, netDeposits: 0n };
        for (const profit of path) {
          trading += profit;
          const truth = observeEquity(plain, { equity: trading, netDeposits: 0n }, MAX);
          plain = truth.peak;
          expect(watched.look(trading, trading + apart, 0n)).toBe(truth.isOver);
        }
      }),
    );
  });

  it("halts for an unexplained loss once it is three seconds old, however it develops", () => {
    fc.assert(
      fc.property(
        profits,
        fc.array(fc.bigInt({ min: 0n, max: 400n }), { minLength: 120, maxLength: 120 }),
        (path, losses) => {
          const watched = new Watched();
          let trading = 100_000n;
          let lost = 0n;
          const lostAt: bigint[] = [];
          let plain: PeakEquity | undefined;
          for (const [look, profit] of path.entries()) {
            trading += profit;
            lost += losses[look] as bigint;
            lostAt.push(lost);
            plain = observeEquity(plain, { equity: trading - lost, netDeposits: 0n }, MAX).peak;
            const isOver = watched.look(trading - lost, trading, 0n);
            const lostForLong = lostAt[look - LOSS_EXPLAINED_WITHIN_MS / LOOK_MS] ?? 0n;
            expect(isOver).toBe(plain.peak - (trading - lostForLong) > MAX);
          }
        },
      ),
    );
  });

  it("does not accept a recent transfer together with an old rounding difference", () => {
    const noise = fc.array(fc.constantFrom(-1n, 0n, 0n, 0n, 1n), {
      minLength: 200,
      maxLength: 200,
    });
    const transfer = fc.oneof(
      fc.record({
        amount: fc.bigInt({ min: 1_000n, max: 5_000n }),
        lagLooks: fc.nat(GAIN_EXPLAINED_WITHIN_MS / LOOK_MS - 1),
      }),
      fc.record({
        amount: fc.bigInt({ min: -5_000n, max: -1_000n }),
        lagLooks: fc.nat(LOSS_EXPLAINED_WITHIN_MS / LOOK_MS - 1),
      }),
    );
    fc.assert(
      fc.property(
        noise,
        fc.integer({ min: 1, max: 110 }),
        transfer,
        (roundings, at, { amount, lagLooks }) => {
          const watched = new Watched();
          let rounding = 0n;
          for (const [look, step] of roundings.entries()) {
            rounding += step;
            const inBalances = look >= at ? amount : 0n;
            const inBooks = look >= at + lagLooks ? amount : 0n;
            expect(
              watched.look(100_000n + rounding + inBalances, 100_000n + inBooks, inBooks),
              "a false halt",
            ).toBe(false);
          }
        },
      ),
    );
  });

  it("counts no gain as profit while the exchange lists no incomes: a deposit in an outage would raise the peak twice", () => {
    const watched = new Watched();
    watched.look(100_000n, 100_000n, 0n);
    watched.listedAtMs = LOOK_MS + LISTED_WITHIN_MS;
    for (let look = 0; look < 1_000; look++) watched.look(105_000n, 100_000n, 0n);
    watched.listedAtMs = undefined;
    for (let look = 0; look < 100; look++)
      expect(watched.look(105_000n, 105_000n, 5_000n), `look ${look}`).toBe(false);
    expect(watched.look(104_499n, 104_499n, 5_000n), "a loss of 501").toBe(true);
  });

  it("counts an unexplained gain as profit in the end, and then its loss", () => {
    const watched = new Watched();
    for (let look = 0; look <= GAIN_EXPLAINED_WITHIN_MS / LOOK_MS + 1; look++)
      expect(watched.look(11_000n, look === 0 ? 11_000n : 10_000n, 0n)).toBe(false);
    expect(watched.look(10_499n, 9_499n, 0n)).toBe(true);
  });
});
