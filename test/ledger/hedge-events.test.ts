import { describe, expect, it } from "vitest";
import { decodeHedgeRecord } from "#hedge/hedge-record.js";
import { storedHedgeSchema } from "#hedge/stored-hedge.js";
import { hedgeEvents } from "#ledger/hedge-events.js";
import { HedgerRig } from "../hedge/hedger-rig.js";

const booksOf = (rig: HedgerRig, records: readonly string[] = rig.records) =>
  hedgeEvents(
    "btcusdc",
    storedHedgeSchema.parse(JSON.parse(rig.stored ?? "")),
    records.flatMap((line) => decodeHedgeRecord(JSON.parse(line)) ?? []),
  );
const sumOf = ({ events }: ReturnType<typeof booksOf>, entry: string): bigint =>
  events.filter((event) => event.entry === entry).reduce((sum, { amount }) => sum + amount, 0n);

async function traded(): Promise<HedgerRig> {
  const rig = new HedgerRig();
  await rig.isReady();
  for (const lots of [-10, 4, -3, 0]) {
    rig.wants(lots);
    await rig.passes(3_000);
  }
  rig.wants(-7);
  await rig.passes(3_000);
  rig.expectHedged();
  return rig;
}

describe("the ledger of a hedge", () => {
  it("has each fill and fee once, which sum to the totals and to the position at the venue", async () => {
    const rig = await traded();
    const books = booksOf(rig);
    const { cash, fees, positionLots } = storedHedgeSchema.parse(JSON.parse(rig.stored ?? ""));
    expect(books.findings).toEqual([]);
    expect(books.events.filter(({ entry }) => entry === "hedge-fill").length).toBeGreaterThan(4);
    expect(sumOf(books, "hedge-cash")).toBe(cash);
    expect(sumOf(books, "hedge-fee")).toBe(
      -Object.values(fees).reduce((sum, fee) => sum + fee, 0n),
    );
    expect(positionLots).toBe(-7);
    const lot = books.events.find(({ entry }) => entry === "hedge-fill")?.amount ?? 0n;
    expect(lot % 10n).toBe(0n);
    // The first order sold ten lots, however many fills it took.
    expect(sumOf(books, "hedge-fill")).toBeLessThan(0n);
  });

  it("counts a fill once whose state was lost with the process that recorded it", async () => {
    const rig = await traded();
    const before = rig.stored;
    rig.wants(3);
    rig.atPoint = () => {
      // As if nothing of this had reached the disk but the record.
      rig.stored = before;
    };
    await rig.passes(3_000);
    rig.atPoint = () => {};
    rig.isKilled();
    rig.stored = before;
    await rig.isReady();
    await rig.passes(3_000);
    rig.expectHedged();
    const ids = rig.records
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event === "fill")
      .map(({ id }) => id);
    expect(new Set(ids).size, "a line was repeated").toBeLessThan(ids.length);
    const books = booksOf(rig);
    expect(books.findings).toEqual([]);
    expect(sumOf(books, "hedge-cash")).toBe(
      storedHedgeSchema.parse(JSON.parse(rig.stored ?? "")).cash,
    );
  });

  it("has the totals of before single fills were recorded as lines of their own", async () => {
    const rig = await traded();
    const books = booksOf(rig, []);
    expect(books.findings).toEqual([]);
    // The model of a venue takes no fees.
    expect(books.events.map(({ entry }) => entry)).toEqual(["hedge-cash"]);
    expect(books.events[0]?.detail).toContain("from before single fills were recorded");
    expect(sumOf(books, "hedge-cash")).toBe(sumOf(booksOf(rig), "hedge-cash"));
  });

  it("names what a record lacks that has the hedge from its beginning", async () => {
    const rig = await traded();
    const at = rig.records.findIndex((line) => line.includes('"event":"fill"'));
    const books = booksOf(rig, rig.records.toSpliced(at, 1));
    expect(books.findings.map(({ kind }) => kind)).toContain("hedge-record-differs");
    expect(sumOf(books, "hedge-cash")).toBe(sumOf(booksOf(rig), "hedge-cash"));
  });

  it("takes a fill that a running bot has just recorded, before its state is written", async () => {
    const rig = await traded();
    const old = rig.stored;
    rig.wants(5);
    await rig.passes(3_000);
    const now = booksOf(rig);
    rig.stored = old;
    const ahead = booksOf(rig);
    expect(ahead.findings).toEqual([]);
    expect(sumOf(ahead, "hedge-cash")).toBe(sumOf(now, "hedge-cash"));
  });

  it("has a fee as paid, a rebate and funding as received, and what the venue took back", () => {
    const common = { venue: "deep", symbol: "BTC/USDT:USDT", timeMs: 5 };
    const fill = {
      ...common,
      id: "1",
      side: "BUY",
      base: "0.002",
      baseAsset: "BTC",
      quote: "12000000000",
      quoteAsset: "USDT",
      fee: "300",
      feeAsset: "USDT",
      isMaker: false,
    };
    const records = [
      { ...common, event: "began" },
      { ...fill, event: "fill" },
      { ...fill, event: "fill", id: "2", side: "SELL", fee: "-50", isMaker: true },
      { ...fill, event: "reversed" },
      { ...common, event: "funding", id: "f", amount: "-7", asset: "USDT" },
    ].flatMap((line) => decodeHedgeRecord(line) ?? []);
    const stored = storedHedgeSchema.parse({
      version: 1,
      venue: "deep",
      symbol: "BTC/USDT:USDT",
      positionLots: -2,
      cash: "12000000000",
      fees: { USDT: "-50" },
      funding: { USDT: "-7" },
      fills: [
        { id: "1", timeMs: 5, isReversed: true },
        { id: "2", timeMs: 5, isReversed: false },
      ],
      fillsToMs: 5,
      fundingToMs: 5,
      fundingIds: ["f"],
      orders: [],
    });
    const { events, findings } = hedgeEvents("btcusdc", stored, records);
    expect(findings).toEqual([]);
    expect(events.map(({ entry, asset, amount }) => [entry, asset, amount])).toEqual([
      ["hedge-fill", "BTC", 2_000_000_000_000_000n],
      ["hedge-cash", "USDT", -12_000_000_000n],
      ["hedge-fee", "USDT", -300n],
      ["hedge-fill", "BTC", -2_000_000_000_000_000n],
      ["hedge-cash", "USDT", 12_000_000_000n],
      ["hedge-fee", "USDT", 50n],
      ["hedge-fill", "BTC", -2_000_000_000_000_000n],
      ["hedge-cash", "USDT", 12_000_000_000n],
      ["hedge-fee", "USDT", 300n],
      ["hedge-funding", "USDT", -7n],
    ]);
    expect(new Set(events.map(({ id }) => id)).size, "each line has an id of its own").toBe(
      events.length,
    );
  });

  it("keeps the fills of a venue that the market was hedged at before", async () => {
    const rig = await traded();
    const earlier = rig.records.map((line) => line.replace('"venue":"deep"', '"venue":"other"'));
    const books = booksOf(rig, [...earlier, ...rig.records]);
    expect(books.findings).toEqual([]);
    const fills = books.events.filter(({ entry }) => entry === "hedge-fill");
    const own = booksOf(rig).events.filter(({ entry }) => entry === "hedge-fill");
    expect(fills.length).toBe(2 * own.length);
    expect(fills[0]?.venue).toBe("other");
  });
});
