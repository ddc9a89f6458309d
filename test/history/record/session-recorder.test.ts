import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Instrument } from "#core/instrument.js";
import type { VenueEvent } from "#exchange/venue.js";
import { openMarks } from "#history/open-marks.js";
import { finalBook } from "../../support/final-book.js";
import { openTape } from "../open-tape.js";
import {
  down,
  MARK,
  MARKET,
  MIDNIGHT,
  Session,
  snapshot,
  trade,
  up,
  update,
} from "./recorder-stage.js";

const broken = (number: number): VenueEvent => ({
  type: "malformed",
  where: "stream multiple",
  reason: `frame ${number}`,
});

describe("A recording of a market's streams", () => {
  it("contains the exchange's own book, its trades and marks, with the reception time of each", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(
      up("market"),
      snapshot(10, [1000, 5, 999, 1], [1002, 7]),
      update(11, [999, 0, 1001, 3], [], 12),
    );
    await session.hear(trade(1, MIDNIGHT + 1001), update(13, [], [1002, 0, 1003, 9]));
    await session.hear(MARK);
    const sealed = await session.recorder.close();
    expect(sealed.map(({ kind, rows }) => [kind, rows])).toEqual([
      ["book", 9],
      ["trades", 1],
      ["marks", 1],
    ]);
    expect(await session.endingBook()).toEqual([
      [1001, 3],
      [1000, 5],
      [-1003, 9],
    ]);
    const tape = await openTape(session.store, MARKET, { fromUs: 0, toUs: 2e15 });
    // The trade took 3 ms, the fastest of all messages with an exchange stamp. The book, which has
    // none, is assumed to be as fast.
    expect([...tape.localUs].map((us) => us - (MIDNIGHT + 1000) * 1000)).toEqual(
      [2000, 4000, 3000, 5000].sort(),
    );
    expect([...tape.localUs].map((us, at) => us - (tape.exchangeUs[at] as number))).toEqual([
      3000, 3000, 3000, 3000,
    ]);
    const marks = await openMarks(session.store, MARKET, { fromUs: 0, toUs: 2e15 });
    expect([marks.markCredit[0], marks.indexCredit[0], marks.fundingRateE18[0]]).toEqual([
      100_150_000n,
      100_200_000n,
      100_000_000_000n,
    ]);
  });

  it("corrects a clock that is behind the exchange's, and says by how much", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(up("market"), snapshot(1, [1000, 5], []), trade(1, MIDNIGHT + 6003));
    await session.recorder.close();
    const tape = await openTape(session.store, MARKET, { fromUs: 0, toUs: 2e15 });
    expect([...tape.localUs].map((us, at) => us - (tape.exchangeUs[at] as number))).toEqual([0, 0]);
    const [day] = session.store.days({ market: MARKET, kind: "book" });
    expect(day?.sources[0]?.clock).toEqual([
      { fromSeq: "0", addedNs: "5000000000", smallestNs: "-5000000000" },
    ]);
    expect(day?.grid).toEqual({ tickSize: "0.1", stepSize: "0.001" });
  });

  // The day once had the later, coarser steps, so no backtest of it began: its first prices lie
  // between them.
  it("keeps the finer steps of a day in which the market's steps became coarser", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(up("market"), snapshot(1, [1001, 5], [1012, 1]), trade(1, MIDNIGHT + 1002));
    await session.recorder.close();
    await session.clock.runFor(5000);
    const instrument = new Instrument({
      marketId: MARKET,
      tickSize: "0.5",
      stepSize: "0.002",
      creditDecimals: 6,
      paperDecimals: 18,
    });
    await session.open({ instrument });
    await session.hear(up("market"), snapshot(9, [200, 5], [202, 1]), trade(2, MIDNIGHT + 6005));
    await session.recorder.close();
    expect(session.store.days({ market: MARKET, kind: "book" }).map(({ grid }) => grid)).toEqual([
      { tickSize: "0.1", stepSize: "0.001" },
    ]);
    expect(await session.endingBook()).toEqual([
      [1000, 10],
      [-1010, 2],
    ]);
  });

  it("requests a book whose sequence broke, ignores it until the next snapshot, and leaves the gap uncovered", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      update(3, [1000, 6], []),
      update(4, [1000, 7], []),
    );
    expect(session.lost).toBe(1);
    await session.clock.runFor(100);
    await session.hear(snapshot(9, [990, 2], [995, 2]), trade(1, MIDNIGHT + 1106), down("market"));
    await session.recorder.close();
    const [day] = session.store.days({ market: MARKET, kind: "book" });
    expect(day?.covered).toEqual([
      [MIDNIGHT + 1002, MIDNIGHT + 1003],
      [MIDNIGHT + 1105, MIDNIGHT + 1107],
    ]);
    expect(day?.findings.map((finding) => finding.replace(/^\S+ /, ""))).toEqual([
      "book: updates are missing: 3 to 3 followed 1",
      "the market stream was lost: a cable",
    ]);
    // The new book replaces everything before it, better prices too.
    expect(await session.endingBook()).toEqual([
      [990, 2],
      [-995, 2],
    ]);
  });

  // Messages may have been lost right after the last one received. Until the break is noticed, a
  // backtest would trade on an unknown book.
  it("covers a lost book up to its last message, not up to the message that shows the loss", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]), update(2, [1000, 6], []));
    await session.clock.runFor(4000);
    await session.hear(trade(1, MIDNIGHT + 5004), update(4, [1000, 7], []));
    await session.recorder.close();
    expect(session.store.days({ market: MARKET, kind: "book" })[0]?.covered).toEqual([
      [MIDNIGHT + 1002, MIDNIGHT + 1004],
    ]);
    // The trades were received all the while.
    expect(session.store.days({ market: MARKET, kind: "trades" })[0]?.covered).toEqual([
      [MIDNIGHT + 1001, MIDNIGHT + 5006],
    ]);
  });

  // Each repeated message, as behind a proxy, once cost a recording its book until the next
  // snapshot.
  it("ignores a repeated message of the book without a break, and says so", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    const again = update(2, [1000, 6], [], 3);
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      again,
      again,
      update(4, [1000, 7], []),
      trade(1, MIDNIGHT + 1006),
    );
    await session.recorder.close();
    expect(session.lost).toBe(0);
    const [day] = session.store.days({ market: MARKET, kind: "book" });
    expect(day?.rows).toBe(4 + 1 + 1);
    expect(day?.covered).toEqual([[MIDNIGHT + 1002, MIDNIGHT + 1007]]);
    expect(day?.findings).toEqual([
      expect.stringMatching(/: book: the update 2 to 3 was received twice$/),
    ]);
  });

  // An exchange may restart its count. If its messages counted as repeats, they would be ignored
  // for as long as the connection lasts.
  it.each([
    ["has other levels", update(2, [1000, 9], [])],
    ["lies before the last", update(1, [1000, 6], [])],
    ["goes on further", update(2, [1000, 6], [], 3)],
  ])("treats a message with an old sequence as a break if it %s", async (_, broken) => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      update(2, [1000, 6], []),
      broken,
    );
    await session.recorder.close();
    expect(session.lost).toBe(1);
  });

  // A stream of unreadable frames, some per second for a night, was once listed frame by frame in
  // the manifest of every kind.
  it("lists the first thousand findings of a part and counts the rest, even if it was killed", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]));
    for (let number = 1; number <= 1007; number++) session.recorder.recordEvent(broken(number));
    session.recorder.addFinding("what a session says of itself is always told");
    await session.kill();
    await session.open();
    await session.recorder.close();
    const findings =
      session.store
        .days({ market: MARKET, kind: "book" })[0]
        ?.findings.map((finding) => finding.replace(/^\S+ /, "")) ?? [];
    expect(findings.slice(998)).toEqual([
      "stream multiple: frame 999",
      "stream multiple: frame 1000",
      "what a session says of itself is always told",
      "the recording ended without being closed",
      "7 more findings are not listed",
    ]);
  });

  // A step of the clock shifts every later latency. Among a thousand unreadable frames its finding
  // was once omitted.
  it("reports that the clock was set back and that amounts are rounded, however many findings there are", async () => {
    const session = await new Session(MIDNIGHT + 60_000).open();
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]));
    for (let number = 1; number <= 1007; number++) session.recorder.recordEvent(broken(number));
    session.clock.stepWall(-2000);
    await session.hear({ ...update(2, [1000, 6], []), isRounded: true } as VenueEvent);
    await session.recorder.close();
    const findings =
      session.store
        .days({ market: MARKET, kind: "book" })[0]
        ?.findings.map((finding) => finding.replace(/^\S+ /, "")) ?? [];
    expect(findings.slice(1000)).toEqual([
      expect.stringMatching(/^this machine's clock was set back by 2 s/),
      expect.stringMatching(/^book: prices and amounts off the market's grid/),
      "7 more findings are not listed",
    ]);
  });

  // A bot that finds its stream stalled resynchronises the book. A backtest once had a book and no
  // gap for the time between, which the bot had not received.
  it.each([
    ["another one", 9, 1],
    ["the one that it has", 2, 0],
  ])(
    "covers the time before a snapshot of %s as its sequence shows",
    async (_, sequence, holes) => {
      const session = await new Session(MIDNIGHT + 1000).open();
      await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]), update(2, [1000, 6], []));
      await session.clock.runFor(3000);
      await session.hear(
        trade(1, MIDNIGHT + 4003),
        snapshot(sequence, [1000, 7], [1010, 1]),
        trade(2, MIDNIGHT + 4005),
      );
      await session.recorder.close();
      const [day] = session.store.days({ market: MARKET, kind: "book" });
      expect(day?.covered.length).toBe(1 + holes);
      expect(day?.findings.length).toBe(holes);
    },
  );

  it("splits days at midnight, each of which begins with the whole book", async () => {
    const session = await new Session(MIDNIGHT - 3).open();
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      update(2, [1001, 6], []),
      update(3, [], [1009, 4]),
    );
    await session.recorder.close();
    const days = session.store.days({ market: MARKET, kind: "book" });
    expect(days.map(({ day, rows, complete }) => [day, rows, complete])).toEqual([
      ["2024-08-08", 4, false],
      ["2024-08-09", 4 + 1 + 1, false],
    ]);
    const second = await openTape(session.store, MARKET, { fromUs: MIDNIGHT * 1000, toUs: 2e15 });
    expect(finalBook(second)).toEqual([
      [1001, 6],
      [1000, 5],
      [-1009, 4],
      [-1010, 1],
    ]);
  });

  it("splits days by the exchange's clock, if messages received at midnight were sent before it", async () => {
    const session = await new Session(MIDNIGHT - 100).open();
    // Received with 20 ms of latency at best: the exchange's midnight is at 20 ms past ours.
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      trade(1, MIDNIGHT - 117),
      update(2, [1001, 6], []),
    );
    await session.clock.runUntil(MIDNIGHT + 10);
    await session.hear(trade(2, MIDNIGHT - 40));
    await session.clock.runUntil(MIDNIGHT + 19);
    await session.hear(update(3, [], [1009, 4]), update(4, [1002, 1], []));
    await session.recorder.close();
    const days = session.store.days({ market: MARKET, kind: "book" });
    expect(days.map(({ day, rows }) => [day, rows])).toEqual([
      ["2024-08-08", 4 + 1],
      ["2024-08-09", 3 + 2 + 1 + 1],
    ]);
    const second = await openTape(session.store, MARKET, {
      fromUs: MIDNIGHT * 1000,
      toUs: 2e15,
      kinds: ["book"],
    });
    expect(second.kind[0]).toBe(1);
    expect(second.exchangeUs[0]).toBe(MIDNIGHT * 1000);
  });

  it("is sealed by the next recorder after a kill, up to its last complete record, and never looks complete", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      update(2, [1001, 6], []),
      trade(1, MIDNIGHT + 1004),
    );
    await session.kill();
    expect(session.store.series()).toEqual([]);
    await session.open();
    await session.hear(
      up("market"),
      snapshot(50, [999, 1], [1005, 2]),
      trade(2, session.clock.nowMs() + 2),
    );
    await session.recorder.close();
    const [day] = session.store.days({ market: MARKET, kind: "book" });
    expect(day).toMatchObject({ complete: false, rows: 4 + 1 + 4 });
    expect(day?.covered).toHaveLength(2);
    expect(day?.findings).toEqual([
      expect.stringContaining("the recording ended without being closed"),
    ]);
    expect(session.store.days({ market: MARKET, kind: "trades" })[0]?.rows).toBe(2);
    expect(await session.endingBook()).toEqual([
      [999, 1],
      [-1005, 2],
    ]);
    // In this process the killed recorder still touches its lock, and creates it again once it is
    // gone.
    const left = readdirSync(join(session.store.root, ".staging", MARKET, "recording"));
    expect(left.filter((name) => name !== "lock")).toEqual([]);
  });

  // The store refuses a price of zero. One mark of zero, as a new exchange sends it, once kept the
  // marks of a whole recording out of the store, and stopped every later recording of the market
  // from starting.
  it("ignores marks of zero, which an exchange without a mark sends, and says so once", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    const none = { ...MARK, mark: 0n } as VenueEvent;
    await session.hear(up("market"), none, none, MARK, trade(1, MIDNIGHT + 1004));
    expect((await session.recorder.close()).map(({ kind, rows }) => [kind, rows])).toContainEqual([
      "marks",
      1,
    ]);
    const [day] = session.store.days({ market: MARKET, kind: "marks" });
    expect(day?.findings).toEqual([
      expect.stringMatching(/: marks: the exchange sends a mark price of zero$/),
    ]);
    await (await session.open()).recorder.close();
  });

  // A session's turns refer to records of the store by these numbers. An account event at the start
  // of a day would be searched among the book's messages.
  it("returns the number of an event in the store, and none for an event that is not stored, even at the start of a day", async () => {
    const session = await new Session(MIDNIGHT - 5).open();
    const number = async (event: VenueEvent): Promise<number | undefined> => {
      await session.clock.runFor(1);
      return session.recorder.recordEvent(event);
    };
    const before = [
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      MARK,
      update(2, [1001, 6], []),
    ];
    const numbers: (number | undefined)[] = [];
    for (const event of before) numbers.push(await number(event));
    expect(numbers).toEqual([undefined, 1, 1, 2]);
    // The third message is the snapshot with which the day begins.
    for (const event of [
      up("account"),
      MARK,
      { ...MARK, marketId: "ethusdc" },
      update(3, [], [1009, 4]),
      trade(1, MIDNIGHT + 4),
    ])
      numbers.push(await number(event));
    expect(numbers.slice(4)).toEqual([undefined, 2, undefined, 4, 5]);
    await session.recorder.close();
    expect(session.store.days({ market: MARKET, kind: "book" })).toHaveLength(2);
  });

  it("continues after the data of the one before it, although it knows less about its clock", async () => {
    const session = await new Session(MIDNIGHT + 1000).open();
    // Our clock is 700 ms behind the exchange's, as a trade shows.
    await session.hear(
      up("market"),
      snapshot(1, [1000, 5], [1010, 1]),
      trade(1, MIDNIGHT + 1703),
      update(2, [1001, 6], []),
    );
    await session.recorder.close();
    await session.clock.runFor(300);
    await session.open();
    // Nothing in this part shows it.
    await session.hear(up("market"), snapshot(50, [999, 1], [1005, 2]));
    await session.recorder.close();
    expect(await session.endingBook()).toEqual([
      [999, 1],
      [-1005, 2],
    ]);
  });

  // Thrown out of the recorder, the error would end the bot because of a full disk.
  it("ends when the disk is full, reports it once and on close, and keeps the written records", async () => {
    const failures: unknown[] = [];
    const session = await new Session(MIDNIGHT + 1000).open({
      onFailed: (error) => failures.push(error),
    });
    await session.hear(up("market"), snapshot(1, [1000, 5], [1010, 1]), trade(1, MIDNIGHT + 1003));
    await session.clock.runFor(1500);
    const staging = join(session.store.root, ".staging", MARKET, "recording");
    const [part] = readdirSync(staging).filter((name) => name.startsWith("part-"));
    // A folder cannot be written as a file.
    mkdirSync(join(staging, part ?? "", "orders.ndjson"));
    await session.hear(up("account"), trade(2, MIDNIGHT + 2503), down("market"));
    await session.clock.runFor(5000);
    await expect(session.recorder.close()).rejects.toThrow(/EISDIR/);
    expect(failures).toHaveLength(1);
    rmSync(join(staging, part ?? "", "orders.ndjson"), { recursive: true });
    await session.open();
    await session.recorder.close();
    const [trades] = session.store.days({ market: MARKET, kind: "trades" });
    expect(trades?.rows).toBe(1);
    // Its streams count as connected only as long as records were written: the second trade is not
    // covered.
    expect(trades?.covered.every(([, toMs]) => toMs <= MIDNIGHT + 2503)).toBe(true);
    expect(trades?.findings).toEqual([
      expect.stringContaining("the recording ended without being closed"),
    ]);
  });

  it("runs only once per market at a time", async () => {
    const session = await new Session(MIDNIGHT).open();
    await expect(session.open()).rejects.toThrow(/is being written by another process/);
    await session.recorder.close();
  });
});
