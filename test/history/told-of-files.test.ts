import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DAY_MS } from "#core/units.js";
import { HistoryStore } from "#history/history-store.js";
import { listHistory } from "#history/list-history.js";
import { checkMapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const columns = { time: "ts", side: "side", price: "px", amount: "qty" };
/**
 * One trade at 12:00:00.123456789, written by pyarrow as pandas does:
 * TIMESTAMP(isAdjustedToUTC=true, unit=NANOS), which the database cannot write.
 */
const INSTANTS = [
  "UEFSMRUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEVTb9OK/AZGBUAFRoVGiwVAhUAFQYVBhwAAAACAAAAAgEDAAAAYnV5FQAVGhUaLBUCFQAVBhUGHAAAAAIA",
  "AAACAQMAAAAxMDAVABUWFRYsFQIVABUGFQYcAAAAAgAAAAIBAQAAADEVBBlcNQAYBnNjaGVtYRUIABUEJQIYAnRzbIwRHDwAAAAAABUMJQIYBHNpZGUlAEwc",
  "AAAAFQwlAhgCcHglAEwcAAAAFQwlAhgDcXR5JQBMHAAAABYCGRwZTCYAHBUEGSUGABkYAnRzFQAWAhZCFkImCEkcFQAVABUCADwpBhkmAAIAAAAmABwVDBkl",
  "BgAZGARzaWRlFQAWAhZAFkAmSkkcFQAVABUCADwWBhkGGSYAAgAAACYAHBUMGSUGABkYAnB4FQAWAhZAFkAmigFJHBUAFQAVAgA8FgYZBhkmAAIAAAAmABwV",
  "DBklBgAZGANxdHkVABYCFjwWPCbKAUkcFQAVABUCADwWAhkGGSYAAgAAABb+ARYCJggW/gEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRlM",
  "HAAAHAAAHAAAHAAAAEwBAABQQVIx",
];
const HEAD = "ts,side,px,qty\n";

class Stand {
  readonly folder = scratchFolder();
  readonly store = new HistoryStore(join(this.folder, "history"));

  async findings(
    name: string,
    content: string,
    timeUnit = "ms",
    kind = "trades",
  ): Promise<readonly string[]> {
    const mapping = checkMapping({ kind, columns, timeUnit });
    const { files } = await take(this.store, [fileOf(this.folder, name, content)], { mapping });
    return files
      .flatMap(({ findings }) => findings)
      .filter((finding) => !finding.startsWith("it has no ids"));
  }
}

describe("An import says of a file", () => {
  it("that its last line does not end: a truncated amount of 12.5 reads as 12 or 1", async () => {
    const whole = `${HEAD}${TIME},buy,100,12.5\n`;
    expect(await new Stand().findings("whole.csv", whole)).toEqual([]);
    for (const cut of [whole.slice(0, -1), whole.slice(0, -3), whole.slice(0, -4)])
      expect(await new Stand().findings("cut.csv", cut)).toEqual([
        expect.stringMatching(/^its last line has no line end/),
      ]);
  });

  // If a mapping does not name the column of snapshots, every row is imported, but a run never sees
  // the market.
  it("that a book has no snapshot, as long as the store has none before it, and the list says so too", async () => {
    const stand = new Stand();
    const book = (days: number, isSnapshot: boolean): string =>
      ["bid,100,1", "ask,101,1"]
        .map((level) => `${TIME + days * DAY_MS},${isSnapshot},${level}\n`)
        .join("");
    const taken = async (
      name: string,
      content: string,
      named: Record<string, string> = {},
    ): Promise<readonly string[]> => {
      const mapping = checkMapping({ kind: "book", columns: { ...columns, ...named } });
      const { files } = await take(
        stand.store,
        [fileOf(stand.folder, name, `ts,snap,side,px,qty\n${content}`)],
        { mapping },
      );
      return files.flatMap(({ days }) =>
        days.flatMap(({ day, findings }) => findings.map((finding) => `${day}: ${finding}`)),
      );
    };
    const listed = (): readonly string[] =>
      stand.store
        .days({ market: "btcusdt", kind: "book" })
        .flatMap(({ day, findings }) => findings.map((finding) => `${day}: ${finding}`));
    const never = expect.stringMatching(
      /^2025-01-1[23]: has no snapshot.* a backtest does not quote on it$/,
    );
    expect(await taken("second.csv", book(1, true))).toEqual([never]);
    expect(await taken("first.csv", book(0, false))).toEqual([never]);
    expect(listed()).toEqual([never, never]);
    // A file from the middle of a recording needs no snapshot.
    expect(await taken("before.csv", book(-1, true), { isSnapshot: "snap" })).toEqual([]);
    expect(await taken("third.csv", book(2, false))).toEqual([]);
    expect(listed()).toEqual([]);
  });

  it.each([
    ["step by two", (index: number) => 1000 + 2 * index],
    ["lie apart by more than a hundred times the trades", (index: number) => 1 + 5000 * index],
  ])(
    "that ids do not count the trades, and the list says so once for all days: ids that %s",
    async (_what, idOf) => {
      const stand = new Stand();
      const day = (of: number): string =>
        Array.from(
          { length: 20 },
          (_, at) => `${idOf(20 * of + at)},${TIME + of * DAY_MS + at},buy,100,1\n`,
        ).join("");
      const mapping = checkMapping({ kind: "trades", columns: { ...columns, id: "id" } });
      const text = `id,${HEAD}${day(0)}${day(1)}`;
      const { files } = await take(stand.store, [fileOf(stand.folder, "t.csv", text)], { mapping });
      expect(files[0]?.findings).toEqual([
        "its ids do not count the trades, so missing trades cannot be found",
      ]);
      const [listing] = await listHistory(stand.store, { verify: false });
      expect(listing?.notes).toEqual([
        "btcusdt trades: the ids of 2 of 2 days do not count the trades, so missing trades cannot be found",
      ]);
    },
  );

  it("nothing about missing trades if their ids count them, or if they have no ids", async () => {
    const stand = new Stand();
    expect(
      await stand.findings("none.csv", `${HEAD}${TIME},buy,100,1\n${TIME + 9},buy,100,1\n`),
    ).toEqual([]);
    expect((await listHistory(stand.store, { verify: false }))[0]?.notes).toEqual([]);
    const counted = new Stand();
    const mapping = checkMapping({ kind: "trades", columns: { ...columns, id: "id" } });
    const text = `id,${HEAD}7,${TIME},buy,100,1\n8,${TIME + 9},buy,100,1\n`;
    const { files } = await take(counted.store, [fileOf(counted.folder, "t.csv", text)], {
      mapping,
    });
    expect(files[0]?.findings).toEqual([]);
    expect((await listHistory(counted.store, { verify: false }))[0]?.notes).toEqual([]);
  });

  it("that the stamps of a book go back: the latest stamp sets a level, not the last line", async () => {
    const book = (...ms: readonly number[]): string =>
      HEAD + ms.map((at) => `${TIME + at},bid,100,${at + 1}\n`).join("");
    // The missing asks are a separate finding.
    const ordered = async (...ms: readonly number[]) =>
      (await new Stand().findings("book.csv", book(...ms), "ms", "book")).filter(
        (finding) => !finding.includes("lacked a side"),
      );
    expect(await ordered(0, 5, 9)).toEqual([]);
    expect(await ordered(0, 9, 5)).toEqual([
      "1 updates have an earlier time than the one before them: they are sorted by time",
    ]);
  });

  it("that instants of a Parquet file are finer than the stored ones", async () => {
    const stand = new Stand();
    const path = fileOf(stand.folder, "t.parquet", Buffer.from(INSTANTS.join(""), "base64"));
    const mapping = checkMapping({ kind: "trades", columns, timeUnit: "iso" });
    const { files } = await take(stand.store, [path], { mapping });
    expect(files[0]?.findings).toContain(
      "ts is a timestamp in nanoseconds: only whole microseconds are kept",
    );
    const [row] = await query(
      stand.store,
      `SELECT timeNs FROM read_parquet('${stand.store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(row?.timeNs).toBe(BigInt(TIME) * 1_000_000n + 123_456_000n);
  });
});

describe("Stamps of Parquet that are floating-point numbers", () => {
  const NS = BigInt(TIME) * 1_000_000n + 123_456_789n;

  async function taken(
    type: "DOUBLE" | "FLOAT",
  ): Promise<{ readonly findings: readonly string[]; readonly apartNs: bigint }> {
    const stand = new Stand();
    const path = join(stand.folder, "t.parquet");
    await query(
      stand.store,
      `COPY (SELECT CAST(${NS} AS ${type}) AS ts, 'buy' AS side, 100 AS px, 1 AS qty) TO '${path}' (FORMAT parquet)`,
    );
    const { files } = await take(stand.store, [path], {
      mapping: checkMapping({ kind: "trades", columns, timeUnit: "ns" }),
    });
    const [row] = await query(
      stand.store,
      `SELECT timeNs FROM read_parquet('${stand.store.root}/btcusdt/trades/*.parquet')`,
    );
    return { findings: files[0]?.findings ?? [], apartNs: BigInt(String(row?.timeNs)) - NS };
  }

  it("are reported as coarser than they look", async () => {
    const { findings, apartNs } = await taken("DOUBLE");
    expect(findings).toContain(
      "ts is a floating-point number, which holds a time to a quarter of a microsecond",
    );
    expect(Number(apartNs)).not.toBe(0);
    expect(Math.abs(Number(apartNs))).toBeLessThan(256);
  });

  // All trades of two minutes once fell on one instant, up to a minute from their own.
  it("are refused where they have 32 bits", async () => {
    await expect(taken("FLOAT")).rejects.toThrow(
      /t\.parquet: ts is a floating-point number of 32 bits/,
    );
  });
});

it("A file without trades whose name promises them, such as the checksum beside an archive, is named in the error", async () => {
  const stand = new Stand();
  for (const [name, line] of [
    ["BTCUSDT-trades-2025-01-12.zip.CHECKSUM", "ac1f  BTCUSDT-trades-2025-01-12.zip"],
    ["BTCUSDT-trades-2025-01-12.csv", `1,100,0.5,50,${TIME}`],
  ] as const)
    await expect(take(stand.store, [fileOf(stand.folder, name, `${line}\n`)])).rejects.toThrow(
      /does not have the shape binance-trades: it has no column (id|is_buyer_maker) .*expected a header with id, price, qty, time, is_buyer_maker/,
    );
});

describe("A stamp as a text", () => {
  it.each([
    ["2025-01-12T12:00:00Z", 0],
    ["2025-01-12 13:00:00+01:00", 0],
    ["2025-01-12 12:00:00.5 UTC", 500],
    ["2025-01-12 12:00:00", 0],
    ["2025-01-13 02:00:00+14:00", 0],
    ["2025-01-12 02:30:00.5-0930", 500],
  ])("is an instant: %s", async (text, ms) => {
    const stand = new Stand();
    await stand.findings("t.csv", `${HEAD}${text},buy,100,1\n`, "iso");
    const [row] = await query(
      stand.store,
      `SELECT timeNs FROM read_parquet('${stand.store.root}/btcusdt/trades/*.parquet')`,
    );
    expect(row?.timeNs).toBe(BigInt(TIME + ms) * 1_000_000n);
  });

  // Zurich repeats an hour in October. The database took the later one: trades an hour late.
  it.each([
    "2024-10-27 02:30:00 Europe/Zurich",
    "2025-01-12 12:00:00 CST",
    "2300-01-01 00:00:00",
    "2025-01-12 (BC)",
    "2025-01-12 12:00:00+25:00",
    "2025-01-12 12:00:00-05:75",
    "2025-01-12 12:00:00.5+2000",
    "2025-01-12 12:00:00+05:30:75",
  ])("is refused with its row if it may mean two instants, or none: %s", async (text) => {
    await expect(
      new Stand().findings("t.csv", `${HEAD}${text},buy,100,1\n`, "iso"),
    ).rejects.toThrow(/t\.csv: ts is not a valid time in row 1/);
  });
});

it("A carriage return within a line is reported with the line", async () => {
  const text = `${HEAD}${TIME},buy,100,1\n${TIME + 1},buy,100,1\r${TIME + 2},buy,100,1\n`;
  await expect(new Stand().findings("t.csv", text)).rejects.toThrow(
    /t\.csv: has a carriage return within line 3/,
  );
});

it("Fields that differ only in case are refused by name, since the database treats them as one", async () => {
  const stand = new Stand();
  const mapping = checkMapping({
    kind: "trades",
    columns: { time: "T", id: "t", price: "p", amount: "q", isBuyerMaker: "m" },
  });
  const file = fileOf(
    stand.folder,
    "stream.ndjson",
    `{"T":${TIME},"t":7,"p":"100","q":"1","m":true}\n`,
  );
  await expect(take(stand.store, [file], { mapping })).rejects.toThrow(
    /stream\.ndjson that differ only in upper and lower case \(got "T and t"\)/,
  );
});
