import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ImportOptions } from "#history/import-files.js";
import { checkMapping } from "#history/mapping.js";
import type { Span } from "#history/spans.js";
import { finalBook } from "../support/final-book.js";
import { ImportStand } from "./import-stand.js";
import { openTape } from "./open-tape.js";
import { query, take } from "./scratch.js";

const TIME = Date.UTC(2025, 0, 12, 12);
const at = (...[from, to]: Span): Span => [TIME + from, TIME + to];
const drop = (mostDropped: number): Partial<ImportOptions> => ({
  repairs: { maxDropped: mostDropped },
});

class Stand extends ImportStand {
  /** The day as readers see it, with its gaps within 0 and `toMs`. */
  day(kind: string) {
    const [day] = this.store.inspect({ market: "btcusdt", kind }).days;
    if (day === undefined) throw new Error(`no ${kind}`);
    return day;
  }

  rows(kind: string, columns: string, orderBy: string) {
    return query(
      this.store,
      `SELECT ${columns} FROM read_parquet('${this.store.root}/btcusdt/${kind}/*.parquet') ORDER BY ${orderBy}`,
    );
  }

  /** The levels of the book after its last message, from its rows. */
  async levels(): Promise<string[]> {
    const rows = await this.rows(
      "book",
      "*, CAST(price AS VARCHAR) AS p, CAST(amount AS DOUBLE) AS a",
      "timeNs, seq, level",
    );
    const held = new Map<string, string>();
    let message: unknown;
    for (const row of rows) {
      if (row.isSnapshot === true && row.seq !== message && row.level === 1n) held.clear();
      message = row.seq;
      const level = `${row.isBid === true ? "bid" : "ask"} ${String(row.p)}`;
      if (row.a === 0) held.delete(level);
      else held.set(level, level);
    }
    return [...held.values()].sort();
  }
}

type Level = readonly [side: "bid" | "ask", price: string, amount?: string];

const TARDIS = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n";
function tardis(ms: number, isSnapshot: boolean, ...levels: readonly Level[]): string {
  const stamps = `${(TIME + ms) * 1000},${(TIME + ms) * 1000 + 500}`;
  return levels
    .map(
      ([side, price, amount = "1"]) => `x,BTC,${stamps},${isSnapshot},${side},${price},${amount}\n`,
    )
    .join("");
}

const OLD: readonly Level[] = [
  ["bid", "90"],
  ["bid", "80"],
  ["ask", "110"],
  ["ask", "120"],
];
const NEW: readonly Level[] = [
  ["bid", "95"],
  ["bid", "94"],
  ["ask", "105"],
  ["ask", "106"],
];

describe("A snapshot of Tardis that lost rows", () => {
  it.each([0, 1, 3])(
    "replaces the whole book, and the import reports that levels are missing: row %i",
    async (lost) => {
      const stand = new Stand();
      const cut = NEW.map(([side, price], index): Level => [side, index === lost ? "0" : price]);
      const text = `${TARDIS}${tardis(0, true, ...OLD)}${tardis(10, false, ["bid", "91"])}${tardis(1000, true, ...cut)}${tardis(2000, false, ["ask", "107"])}`;
      const taken = await stand.take("b.csv", text, drop(1));
      const said =
        "1 snapshot lacks rows that were left out: levels are missing until an update repeats them";
      expect(taken?.findings).toEqual([
        "1 invalid rows of its file were left out (--drop-bad-rows)",
        said,
      ]);
      const left = NEW.filter((_, index) => index !== lost).map(
        ([side, price]) => `${side} ${price}`,
      );
      expect(await stand.levels()).toEqual([...left, "ask 107"].sort());
      const day = stand.day("book");
      expect(day).toMatchObject({
        covered: [at(0, 2001)],
        sources: [{ dropped: 1, cutSnapshots: 1 }],
      });
      expect(day.lost).toBeUndefined();
      expect(day.findings).toContain(said);
    },
  );

  it("loses rows with another number of columns at its end as if they were an update's", async () => {
    const stand = new Stand();
    const text = `${TARDIS}${tardis(0, true, ...OLD)}x,BTC,1\n${tardis(10, false, ["bid", "91"])}${tardis(1000, true, ...NEW)}`;
    await stand.take("b.csv", text, drop(1));
    expect(stand.day("book")).toMatchObject({
      lost: [at(1, 1000)],
      sources: [{ cutSnapshots: 1 }],
    });
  });
});

const BOOK_COLUMNS = { time: "t", price: "p", amount: "q", side: "s", isSnapshot: "w" };
const CHAINED = checkMapping({
  kind: "book",
  columns: { ...BOOK_COLUMNS, beginSequence: "f", endSequence: "l", prevEndSequence: "v" },
});
const UNCHAINED = checkMapping({ kind: "book", columns: BOOK_COLUMNS });
function mapped(ms: number, isSnapshot: boolean, ...levels: readonly Level[]): string {
  return levels
    .map(
      ([side, price, amount = "1"]) =>
        `${TIME + ms},${price},${amount},${side},${isSnapshot},${ms},${ms},${isSnapshot ? "" : ms - 10}\n`,
    )
    .join("");
}
const MAPPED = "t,p,q,s,w,f,l,v\n";

function record(ms: number, isSnapshot: boolean, ...levels: readonly Level[]): string {
  const side = (of: string) =>
    levels.filter(([each]) => each === of).map(([, price, amount = "1"]) => [price, amount]);
  const message = {
    type: isSnapshot ? "snapshot" : "update",
    timestamp: TIME + ms,
    bids: side("bid"),
    asks: side("ask"),
  };
  return `${JSON.stringify(message)}\n`;
}

describe("A book from which an update, or a row of one, was left out", () => {
  const ofRows = [
    ["Tardis's", "b.csv", TARDIS, tardis, {}],
    ["mapped, with sequences", "b.csv", MAPPED, mapped, { mapping: CHAINED }],
    ["mapped, without sequences", "b.csv", MAPPED, mapped, { mapping: UNCHAINED }],
  ] as const;
  const all = [...ofRows, ["JSON, without sequences", "b.ndjson", "", record, {}]] as const;

  it.each(all)(
    "is lost from the previous message to the next snapshot if a whole update was left out: %s",
    async (_what, name, head, of, options) => {
      const stand = new Stand();
      const text = `${head}${of(0, true, ...OLD)}${of(10, false, ["bid", "91"])}${of(20, false, ["bid", "0"])}${of(30, false, ["bid", "92"])}${of(1000, true, ...NEW)}${of(1010, false, ["bid", "93"])}`;
      const taken = await stand.take(name, text, { ...options, ...drop(1) });
      expect(taken).toMatchObject({ dropped: 1 });
      const day = stand.day("book");
      expect(day).toMatchObject({ lost: [at(11, 1000)], covered: [at(0, 11), at(1000, 1011)] });
      expect(day.findings.join()).toContain(
        "the book is unknown for 0.989 s, each time to the next snapshot",
      );
    },
  );

  it.each(ofRows)(
    "is lost from the message on that lost a row: %s",
    async (_what, name, head, of, options) => {
      const stand = new Stand();
      const text = `${head}${of(0, true, ...OLD)}${of(10, false, ["bid", "91"])}${of(20, false, ["bid", "92"], ["bid", "91", "-1"], ["ask", "109"])}${of(30, false, ["bid", "92"])}`;
      await stand.take(name, text, { ...options, ...drop(1) });
      const day = stand.day("book");
      expect(day).toMatchObject({ lost: [at(20, 31)], covered: [at(0, 20)] });
      expect(day.findings.join()).toContain(
        "rows of its messages were left out: the book is unknown at its end, since no snapshot follows",
      );
    },
  );

  it("loses the whole message of a JSON record with one impossible level", async () => {
    const stand = new Stand();
    const chained = (from: number, text: string) =>
      text.replace(
        "{",
        `{"beginSequence":${from},"endSequence":${from},"sequence":${from},"prevEndSequence":${from - 1},`,
      );
    const text = `${chained(1, record(0, true, ...OLD))}${chained(2, record(10, false, ["bid", "91"]))}${chained(3, record(20, false, ["bid", "0"], ["ask", "109"]))}${chained(4, record(30, false, ["bid", "92"]))}`;
    expect(await stand.take("b.ndjson", text, drop(1))).toMatchObject({ dropped: 1, rows: 6 });
    expect(stand.day("book")).toMatchObject({ lost: [at(11, 31)] });
  });

  it("stays known if a snapshot within an unbroken chain was left out", async () => {
    const stand = new Stand();
    const chained = (from: number, text: string) =>
      text.replace(
        "{",
        `{"beginSequence":${from},"endSequence":${from},"sequence":${from},"prevEndSequence":${from - 1},`,
      );
    const text = `${chained(1, record(0, true, ...OLD))}${chained(2, record(10, false, ["bid", "91"]))}${chained(2, record(20, true, ["bid", "0"]))}${chained(3, record(30, false, ["bid", "92"]))}`;
    await stand.take("b.ndjson", text, drop(1));
    expect(stand.day("book").lost).toBeUndefined();
  });

  it("is lost before its first message if an earlier update was left out, and at its end if the last one was", async () => {
    const first = new Stand();
    await first.take(
      "b.csv",
      `${TARDIS}${tardis(0, false, ["bid", "0"])}${tardis(10, false, ["bid", "91"])}${tardis(20, true, ...NEW)}`,
      drop(1),
    );
    expect(first.day("book")).toMatchObject({ lost: [at(10, 20)], covered: [at(20, 21)] });
    const last = new Stand();
    await last.take(
      "b.csv",
      `${TARDIS}${tardis(0, true, ...OLD)}${tardis(10, false, ["bid", "91"])}${tardis(20, false, ["bid", "0"])}`,
      drop(1),
    );
    expect(last.day("book")).toMatchObject({ lost: [at(10, 11)], covered: [at(0, 10)] });
  });
});

it.each([
  ["Tardis's", TARDIS, tardis, {}, undefined],
  // The snapshot replaces each side as far as its worst price, which is unknown without the row.
  ["a mapped one, whose worst bid it is", MAPPED, mapped, { mapping: UNCHAINED }, [at(1000, 1001)]],
] as const)(
  "A snapshot without some rows leaves nothing of the old book to a replay: %s",
  async (_what, head, of, options, lost) => {
    const stand = new Stand();
    const levels: readonly Level[] = [
      ["bid", "95"],
      ["bid", "0"],
      ["ask", "105"],
      ["ask", "125"],
    ];
    const text = `${head}${of(0, true, ...OLD)}${of(10, false, ["bid", "91"])}${of(1000, true, ...levels)}`;
    await stand.take("b.csv", text, { ...options, ...drop(1) });
    expect(stand.day("book").lost).toEqual(lost);
    const tape = await openTape(stand.store, "btcusdt", {
      tickSize: "1",
      stepSize: "1",
      fromUs: 0,
      toUs: 4e15,
    });
    expect(finalBook(tape).map(([ticks]) => ticks)).toEqual([95, -105, -125]);
  },
);

describe("Data derived from a row that was left out", () => {
  const TRADES = checkMapping({
    kind: "trades",
    columns: { time: "t", price: "p", amount: "q", side: "s" },
  });
  const trade = (ms: number | string, amount: string): string =>
    `${typeof ms === "string" ? ms : TIME + ms},5,${amount},buy\n`;

  it.each(["0", "", "1736683200"])(
    "are derived anew: the numbers of trades whose first stamp is %j",
    async (stamp) => {
      const [clean, dirty] = [new Stand(), new Stand()];
      const good = `${trade(1, "1")}${trade(2, "2")}`;
      await clean.take("t.csv", `t,p,q,s\n${good}`, { mapping: TRADES });
      await dirty.take("t.csv", `t,p,q,s\n${trade(stamp, "9")}${good}`, {
        mapping: TRADES,
        ...drop(1),
      });
      expect(await dirty.trades("id, CAST(amount AS DOUBLE) AS amount", "id")).toEqual(
        await clean.trades("id, CAST(amount AS DOUBLE) AS amount", "id"),
      );
    },
  );

  it("are derived anew: the order of trades that begin with the newest", async () => {
    const [clean, dirty] = [new Stand(), new Stand()];
    const [newer, older] = [trade(2, "3") + trade(2, "2"), trade(1, "1")];
    await clean.take("t.csv", `t,p,q,s\n${newer}${older}`, { mapping: TRADES });
    await dirty.take("t.csv", `t,p,q,s\n${trade("0", "9")}${newer}${older}`, {
      mapping: TRADES,
      ...drop(1),
    });
    const columns = "id, CAST(amount AS DOUBLE) AS amount";
    expect(await dirty.trades(columns, "id")).toEqual(await clean.trades(columns, "id"));
    expect(dirty.day("trades").findings.join()).toContain("its newest row comes first");
  });

  it("are derived anew: the interval of candles", async () => {
    const stand = new Stand();
    const candle = (ms: number): string => `${ms},5,5,5,5,1\n`;
    const text = `time,open,high,low,close,volume\n${candle(TIME)}${candle(1000)}${candle(31_000)}${candle(TIME + 60_000)}${candle(TIME + 120_000)}`;
    await expect(stand.take("k.csv", text, {})).rejects.toThrow(
      /times from 2009 to 2099.*--drop-bad-rows 2 skips them/,
    );
    expect(await stand.take("k.csv", text, drop(2))).toMatchObject({
      kind: "klines-1M",
      rows: 3,
      dropped: 2,
    });
  });

  it("are derived anew: the correction of local stamps, and the messages of a book by them", async () => {
    const stand = new Stand();
    const odd = `x,BTC,${(TIME + 10) * 1000},5,false,bid,91,1\n`;
    const text = `${TARDIS}${tardis(0, true, ...OLD)}${tardis(10, false, ["bid", "91"])}${odd}${tardis(10, false, ["ask", "109"])}`;
    expect(await stand.take("b.csv", text, drop(1))).toMatchObject({ dropped: 1, rows: 6 });
    const [first] = await stand.rows(
      "book",
      "min(recvNs - timeNs) AS ns, count(DISTINCT seq) AS messages",
      "1",
    );
    expect(first).toMatchObject({ ns: 500_000n, messages: 2n });
  });

  it("are derived anew if both repairs are chosen: a row with a rounded decimal stays", async () => {
    const stand = new Stand();
    const text = `t,p,q,s\n${trade("0", "0.30000000000000004")}${trade(1, "0.30000000000000004")}${trade(2, "-0.1")}${trade(3, "0.2")}`;
    const taken = await stand.take("t.csv", text, {
      mapping: TRADES,
      repairs: { round: true, maxDropped: 2 },
    });
    expect(taken).toMatchObject({ rows: 2, dropped: 2, rounded: 1 });
    expect(await stand.trades("id, CAST(amount AS DOUBLE) AS amount", "id")).toEqual([
      { id: BigInt(TIME) * 1000n + 1001n, amount: 0.3 },
      { id: BigInt(TIME) * 1000n + 1002n, amount: 0.2 },
    ]);
  });

  it("are derived anew for one market of a file of several, and only its rows have to be usable", async () => {
    const stand = new Stand();
    const row = (symbol: string, ms: number, price: string) =>
      `x,${symbol},${(TIME + ms) * 1000},${(TIME + ms) * 1000},${symbol}${ms},buy,${price},1\n`;
    const text = `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n${row("B", 1, "0")}${row("A", 2, "5")}${row("A", 10, "0")}${row("B", 12, "0")}${row("A", 20, "6")}`;
    const taken = await stand.take("t.csv", text, { symbol: "A", ...drop(1) });
    expect(taken).toMatchObject({ rows: 2, dropped: 1 });
    expect(stand.day("trades")).toMatchObject({ covered: [at(2, 3), at(20, 21)] });
  });
});

describe("The time of a row that was left out", () => {
  const HEAD = "id,price,amount,time,isBuyerMaker\n";
  const trade = (id: number, ms: number, price = "5"): string =>
    `${id},${price},1,${TIME + ms},true\n`;
  const CANDLES = "time,open,high,low,close,volume\n";
  const candle = (minute: number, high = "6"): string =>
    `${TIME + minute * 60_000},5,${high},4,5,1\n`;
  const minutes = (from: number, to: number): Span => at(from * 60_000, to * 60_000);

  it.each([
    [
      "trades",
      "ids that count them",
      `${HEAD}${trade(1, 0)}${trade(2, 10, "0")}${trade(3, 20)}`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "trades",
      "ids that count more",
      `${HEAD}${trade(1, 0)}${trade(500, 10, "0")}${trade(9000, 20)}`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "trades",
      "a line of too few columns",
      `${HEAD}${trade(1, 0)}500,5\n${trade(9000, 20)}`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "bbo",
      "a negative amount",
      `time,bid,bidAmount,ask,askAmount\n${TIME},5,1,6,1\n${TIME + 10},5,-1,6,1\n${TIME + 20},5,1,6,1\n`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "marks",
      "no mark",
      `{"time":${TIME},"markPrice":"5"}\n{"time":${TIME + 10},"markPrice":null}\n{"time":${TIME + 20},"markPrice":"6"}\n`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "funding",
      "no rate",
      `{"fundingTime":${TIME},"fundingRate":"0.1"}\n{"fundingTime":${TIME + 10},"fundingRate":"x"}\n{"fundingTime":${TIME + 20},"fundingRate":"0.1"}\n`,
      [at(0, 1), at(20, 21)],
    ],
    [
      "klines-1M",
      "a high below the open",
      `${CANDLES}${candle(0)}${candle(1, "1")}${candle(2)}`,
      [minutes(0, 1), minutes(2, 3)],
    ],
  ] as const)("is a gap of %s: %s", async (kind, _what, text, covered) => {
    const stand = new Stand();
    const options = kind === "klines-1M" ? { interval: "1M" } : {};
    await stand.take(text.startsWith("{") ? "x.ndjson" : "x.csv", text, { ...options, ...drop(1) });
    expect(stand.day(kind)).toMatchObject({ covered, complete: false });
  });

  it("stays the same if an earlier row is left out later", async () => {
    const stand = new Stand();
    // The invalid line is left out first, the row with an impossible price in the next pass.
    const text = `${HEAD}${trade(1, 0)}${trade(500, 10, "0")}${trade(900, 20)}1,2\n${trade(9000, 40)}${trade(20_000, 50)}`;
    await stand.take("t.csv", text, drop(2));
    expect(stand.day("trades")).toMatchObject({ covered: [at(0, 1), at(20, 21), at(40, 51)] });
  });

  it("is a gap of trades without ids, also in a file that begins with its newest", async () => {
    const mapping = checkMapping({
      kind: "trades",
      columns: { time: "t", price: "p", amount: "q", side: "s" },
    });
    const row = (ms: number, price = "5") => `${TIME + ms},${price},1,buy\n`;
    for (const rows of [
      [row(0), row(10, "0"), row(20)],
      [row(20), row(10, "0"), row(0)],
    ]) {
      const stand = new Stand();
      await stand.take("t.csv", `t,p,q,s\n${rows.join("")}`, { mapping, ...drop(1) });
      expect(stand.day("trades")).toMatchObject({ covered: [at(0, 1), at(20, 21)] });
    }
  });

  it("of candles is a gap however many were left out, and never counts as a time without trades", async () => {
    const stand = new Stand();
    const bad = [3, 10, 20, 30, 41, 50];
    const text = Array.from({ length: 60 }, (_, minute) =>
      candle(minute, bad.includes(minute) ? "1" : "6"),
    ).join("");
    await stand.take("k.csv", `${CANDLES}${text}`, drop(6));
    const { covered, missingCandles } = stand.day("klines-1M");
    expect(missingCandles).toEqual({ missing: 6, of: 60 });
    expect(covered).toHaveLength(7);
  });

  it("is no gap if another file of the day covers it, in either order", async () => {
    const whole = `${CANDLES}${candle(0)}${candle(1)}${candle(2)}`;
    const cut = `${CANDLES}${candle(0)}${candle(1, "1")}${candle(2)}`;
    const trades = [
      `${HEAD}${trade(1, 0)}${trade(500, 10)}${trade(9000, 20)}`,
      `${HEAD}${trade(1, 0)}${trade(500, 10, "0")}${trade(9000, 20)}`,
    ];
    for (const [kind, files, covered] of [
      ["klines-1M", [whole, cut], minutes(0, 3)],
      ["klines-1M", [cut, whole], minutes(0, 3)],
      ["trades", trades, at(0, 21)],
      ["trades", [...trades].reverse(), at(0, 21)],
    ] as const) {
      const stand = new Stand();
      for (const [index, text] of files.entries()) await stand.take(`${index}.csv`, text, drop(1));
      expect(stand.day(kind)).toMatchObject({ covered: [covered] });
    }
  });

  it("of a Parquet file is a gap too", async () => {
    const stand = new Stand();
    const path = join(stand.folder, "t.parquet");
    const rows = [0, 10, 20]
      .map((ms) => `(${TIME + ms}, ${ms === 10 ? 0 : 5}, 1, 'buy')`)
      .join(", ");
    await query(stand.store, `COPY (SELECT * FROM (VALUES ${rows}) t(t, p, q, s)) TO '${path}'`);
    const mapping = checkMapping({
      kind: "trades",
      columns: { time: "t", price: "p", amount: "q", side: "s" },
    });
    await take(stand.store, [path], { mapping, ...drop(1) });
    expect(stand.day("trades")).toMatchObject({ covered: [at(0, 1), at(20, 21)] });
  });
});
