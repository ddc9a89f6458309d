import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MarketId } from "#core/units.js";
import { AccountLedger } from "#ledger/account-ledger.js";
import type { AccountRecords } from "#ledger/assemble-events.js";
import { csvLines, textCell } from "#ledger/csv-lines.js";
import type { StatementIncome, StatementTrade } from "#ledger/exchange-statement.js";
import type { FileFill } from "#ledger/file-fills.js";
import { fillKey } from "#ledger/ledger-event.js";
import { MarketUnits } from "#ledger/market-units.js";

const MARKET = "btcusdc";
const UNITS = new MarketUnits({
  creditAsset: "USDC",
  creditDecimals: 6,
  paperDecimals: 18,
  markets: { [MARKET]: { tickSize: "0.1", stepSize: "0.001", baseAsset: "BTC" } },
});
const LOT = 10n ** 15n;

interface Step {
  readonly kind: "fill" | "funding" | "deposit" | "withdrawal";
  readonly isBuy: boolean;
  readonly lots: number;
  readonly ticks: number;
  readonly fee: bigint;
  readonly state: "settled" | "pending" | "failed";
}

const step = fc.record({
  kind: fc.constantFrom("fill", "fill", "fill", "funding", "deposit", "withdrawal"),
  isBuy: fc.boolean(),
  lots: fc.integer({ min: 1, max: 500 }),
  ticks: fc.integer({ min: 1000, max: 900_000 }),
  fee: fc.bigInt({ min: -5000n, max: 5000n }),
  state: fc.constantFrom("settled", "settled", "settled", "pending", "failed"),
}) as fc.Arbitrary<Step>;

/** The records of an account that did these things, with the balances of an honest exchange. */
function recordsOf(steps: readonly Step[]) {
  const trades: StatementTrade[] = [];
  const incomes: StatementIncome[] = [];
  const fills = new Map<string, FileFill>();
  let [credit, settled, matched] = [0n, 0n, 0n];
  const book = (type: string, amount: bigint, timeMs: number, marketId?: MarketId): void => {
    credit += amount;
    incomes.push({ id: String(incomes.length + 1), type, amount, timeMs, marketId });
  };
  steps.forEach(({ kind, isBuy, lots, ticks, fee, state }, at) => {
    const timeMs = 1_000_000 + at;
    if (kind !== "fill") {
      const [type, amount] =
        kind === "funding"
          ? (["FUNDING_FEE", fee] as const)
          : kind === "deposit"
            ? (["DEPOSIT", BigInt(ticks)] as const)
            : (["WITHDRAWAL", -BigInt(ticks)] as const);
      book(type, amount, timeMs, kind === "funding" ? MARKET : undefined);
      return;
    }
    const side = isBuy ? "BUY" : "SELL";
    const quote = BigInt(ticks) * BigInt(lots) * 100n;
    const id = String(at + 1);
    const common = {
      marketId: MARKET,
      id,
      side,
      isMaker: true,
      quote,
      commission: fee,
      timeMs,
      state,
    } as const;
    const paper = BigInt(lots) * LOT;
    trades.push({ ...common, price: UNITS.instrument(MARKET).formatPrice(ticks), paper });
    fills.set(fillKey(common), { ...common, ticks, lots });
    const signed = isBuy ? paper : -paper;
    if (state !== "failed") matched += signed;
    if (state !== "settled") return;
    settled += signed;
    book(side, isBuy ? -quote : quote, timeMs, MARKET);
    book("MAKER_FEE", -fee, timeMs, MARKET);
  });
  const paperOf = (paper: bigint) => new Map(paper === 0n ? [] : [[MARKET, paper] as const]);
  return {
    units: UNITS,
    file: { fills, unreadableLines: 0 },
    takeovers: [],
    outside: [],
    statement: {
      units: UNITS,
      trades,
      incomes,
      balances: {
        atMs: 2_000_000,
        credit,
        secondaryCredit: 0n,
        settledPaper: paperOf(settled),
        matchedPaper: paperOf(matched),
      },
      isStable: true,
    },
  } satisfies AccountRecords;
}

/** All lines of a ledger. */
const linesOf = (ledger: AccountLedger) => [
  ...ledger.entries({ fromMs: undefined, toMs: undefined }),
];

describe("the ledger of an account", () => {
  it("adds up whatever was traded, taken back, paid and moved, in any order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const ledger = new AccountLedger(recordsOf(steps), []);
        expect([ledger.differences, ledger.findings]).toEqual([[], []]);
        const balances = new Map<string, bigint>();
        for (const { asset, amount, balance } of linesOf(ledger)) {
          balances.set(asset, (balances.get(asset) ?? 0n) + amount);
          expect(balance).toBe(balances.get(asset));
        }
      }),
    );
  });

  it("realises over a round trip exactly what the cash says, so that profit is neither lost nor made", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const settled = steps.map((one) => ({ ...one, state: "settled" as const }));
        const lots = settled
          .filter(({ kind }) => kind === "fill")
          .reduce((sum, one) => sum + (one.isBuy ? one.lots : -one.lots), 0);
        const closing: Step[] =
          lots === 0
            ? []
            : [
                {
                  kind: "fill",
                  isBuy: lots < 0,
                  lots: Math.abs(lots),
                  ticks: 5000,
                  fee: 0n,
                  state: "settled",
                },
              ];
        const lines = linesOf(new AccountLedger(recordsOf([...settled, ...closing]), []));
        const total = (kind: string) =>
          lines.filter((line) => line.kind === kind).reduce((sum, { amount }) => sum + amount, 0n);
        expect(total("cost"), "a flat position has no cost").toBe(0n);
        expect(total("fill")).toBe(0n);
      }),
    );
  });

  it("names any single amount that was tampered with, on either side", () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.constantFrom("file", "trade", "income", "balance", "position"),
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        (steps, place, where, by) => {
          const records = recordsOf(steps);
          const { statement, file } = records;
          const at = <T>(list: readonly T[]): number =>
            list.length === 0 ? -1 : place % list.length;
          if (where === "file") {
            const key = [...file.fills.keys()][at([...file.fills])];
            if (key === undefined) return;
            const fill = file.fills.get(key) as FileFill;
            file.fills.set(key, { ...fill, quote: fill.quote + by });
          } else if (where === "trade") {
            const index = at(statement.trades);
            const trade = statement.trades[index];
            if (trade === undefined) return;
            statement.trades[index] = { ...trade, commission: trade.commission + by };
          } else if (where === "income") {
            const index = at(statement.incomes);
            const income = statement.incomes[index];
            if (income === undefined) return;
            statement.incomes[index] = { ...income, amount: income.amount + by };
          } else if (where === "balance") {
            statement.balances.credit += by;
          } else {
            statement.balances.settledPaper = new Map([
              [MARKET, (statement.balances.settledPaper.get(MARKET) ?? 0n) + by],
            ]);
          }
          expect(new AccountLedger(records, []).isReconciled).toBe(false);
        },
      ),
    );
  });

  it("names a trade that only the bot's file has, and the amount that the exchange lacks", () => {
    const records = recordsOf([
      { kind: "fill", isBuy: true, lots: 10, ticks: 5000, fee: 3n, state: "settled" },
      { kind: "fill", isBuy: true, lots: 20, ticks: 5000, fee: 3n, state: "settled" },
    ]);
    records.statement.trades.pop();
    const { differences, findings } = new AccountLedger(
      {
        ...records,
        statement: {
          ...records.statement,
          incomes: records.statement.incomes.slice(0, 2),
          balances: {
            ...records.statement.balances,
            credit: -5_000_003n,
            settledPaper: new Map([[MARKET, 10n * LOT]]),
            matchedPaper: new Map([[MARKET, 10n * LOT]]),
          },
        },
      },
      [],
    );
    expect(findings).toMatchObject([{ kind: "only-in-file", id: "btcusdc.2.buy" }]);
    expect(differences?.map(({ asset, amount }) => [asset, amount])).toEqual([
      ["credit", 10_000_003n],
      [MARKET, -20n * LOT],
    ]);
  });

  it("holds one line at a time of 100,000, so that a year's export fits into a small machine", () => {
    const steps = Array.from(
      { length: 25_000 },
      (_, at): Step => ({
        kind: "fill",
        isBuy: at % 2 === 0,
        lots: 1 + (at % 7),
        ticks: 600_000 + (at % 100),
        fee: 12n,
        state: at % 9 === 0 ? "failed" : "settled",
      }),
    );
    const ledger = new AccountLedger(recordsOf(steps), []);
    let [lines, bytes] = [0, 0];
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    for (const line of csvLines(ledger.entries({ fromMs: undefined, toMs: undefined }), 18)) {
      lines += 1;
      bytes += line.length;
      if (lines % 10_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed - before);
    }
    expect(lines).toBeGreaterThan(90_000);
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(most, "bytes held beside the events").toBeLessThan(200_000_000);
  });
});

describe("a cell of the CSV file", () => {
  it.each([
    ["=HYPERLINK(1)", "'=HYPERLINK(1)"],
    ["+1+1", "'+1+1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["-2+3", "'-2+3"],
    ["-2.5", "-2.5"],
    ['say "no", then', '"say ""no"", then"'],
    ["two\nlines", '"two\nlines"'],
    ["plain", "plain"],
  ])("of %j is never a formula that a spreadsheet would run", (text, cell) => {
    expect(textCell(text)).toBe(cell);
  });
});
