import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BookFeed } from "#backtest/book-feed.js";
import { ReplayClock } from "#backtest/replay-clock.js";
import { BookState } from "#history/book-state.js";
import { brokenChain } from "#history/broken-chain.js";
import type { DayManifest } from "#history/day-manifest.js";
import { Duck } from "#history/duck.js";
import { HistoryStore } from "#history/history-store.js";
import { openTapes } from "#history/open-tapes.js";
import type { Span } from "#history/spans.js";
import { TapeKind } from "#history/tape.js";
import { finalBook } from "../support/final-book.js";
import { openTape } from "./open-tape.js";
import { fileOf, scratchFolder, take } from "./scratch.js";

const START_MS = Date.UTC(2025, 0, 12, 12);
const WISH = { tickSize: "1", stepSize: "1", fromUs: 0, toUs: 4e15 };

type Levels = readonly (readonly [price: number, amount: number])[];
interface Message {
  readonly ms: number;
  /** The sequence of a snapshot; the first and last sequence of an update. */
  readonly snapshot?: number;
  readonly update?: readonly [begin: number, end: number, previous?: number];
  readonly bids?: Levels;
  readonly asks?: Levels;
}

const lineOf = ({ ms, snapshot, update = [0, 0], bids = [], asks = [] }: Message): string => {
  const [begin, end, previous] = update;
  const text = (levels: Levels): string[][] => levels.map((level) => level.map(String));
  const what =
    snapshot === undefined
      ? {
          type: "update",
          beginSequence: begin,
          endSequence: end,
          ...(previous === undefined ? {} : { prevEndSequence: previous }),
        }
      : { type: "snapshot", sequence: snapshot };
  return `${JSON.stringify({ ...what, timestamp: START_MS + ms, recvTimeNs: `${START_MS + ms + 20}000000`, bids: text(bids), asks: text(asks) })}\n`;
};

async function imported(messages: readonly Message[]): Promise<{
  readonly store: HistoryStore;
  readonly day: DayManifest;
  readonly findings: readonly string[];
}> {
  const folder = scratchFolder();
  const store = new HistoryStore(join(folder, "history"));
  const { files } = await take(store, [
    fileOf(folder, "book.ndjson", messages.map(lineOf).join("")),
  ]);
  return { store, day: files[0]?.days[0] as DayManifest, findings: files[0]?.findings ?? [] };
}

const at = (from: number, to: number): Span => [START_MS + from, START_MS + to];
const BEGIN: Message = {
  ms: 0,
  snapshot: 10,
  bids: [
    [100, 5],
    [99, 4],
  ],
  asks: [[101, 7]],
};

describe("a book that lost messages", () => {
  const BROKEN: readonly Message[] = [
    BEGIN,
    { ms: 1000, update: [11, 12, 10], bids: [[98, 3]] },
    // 13 and 14 are missing: the bid at 100 may be gone.
    { ms: 4000, update: [15, 15, 14], bids: [[97, 2]] },
    { ms: 9000, snapshot: 20, bids: [[95, 6]], asks: [[96, 1]] },
    { ms: 9500, update: [21, 21, 20], bids: [[95, 8]] },
  ];

  it("is unknown from the last message before the loss to the next snapshot, and the import reports for how long", async () => {
    const { day, findings } = await imported(BROKEN);
    expect(day.covered).toEqual([at(0, 1001), at(9000, 9501)]);
    expect(day.lost).toEqual([at(1001, 9000)]);
    expect(findings).toEqual([
      "2 updates do not continue the one before (by prevEndSequence, else beginSequence): the book is unknown for 7.999 s, each time to the next snapshot",
    ]);
  });

  it("offers no liquidity to a replayed order meanwhile, and the time is a gap", async () => {
    const { store } = await imported(BROKEN);
    const tape = await openTape(store, "btcusdt", WISH);
    expect([...tape.kind]).toEqual([
      TapeKind.bookSnapshot,
      TapeKind.bookUpdate,
      TapeKind.bookLost,
      TapeKind.bookUpdate,
      TapeKind.bookSnapshot,
      TapeKind.bookUpdate,
    ]);
    expect((tape.exchangeUs[2] as number) / 1000 - START_MS).toBe(1001);
    const book = new BookState();
    book.play(tape, 4);
    expect([book.knownRows(), book.rowsBeyondKnown()]).toEqual([[], [[97, 2]]]);
    // Earlier levels behind the snapshot are unknown too.
    expect(finalBook(tape)).toEqual([
      [95, 8],
      [-96, 1],
    ]);
    const { gaps } = await openTapes(store, "btcusdt", {
      ...WISH,
      fromUs: START_MS * 1000,
      toUs: (START_MS + 9501) * 1000,
    });
    expect(gaps).toEqual([{ kind: "book", span: at(1001, 9000) }]);
  });

  it("is not trusted by a bot before it receives the snapshot, although updates continue: it would quote around deleted levels", async () => {
    const { store } = await imported(BROKEN);
    const clock = new ReplayClock(START_MS * 1000);
    const feed = new BookFeed(
      await openTape(store, "btcusdt", WISH),
      clock,
      () => undefined,
      () => false,
    );
    const trusted: Record<number, boolean> = {};
    for (const ms of [500, 1010, 1500, 4500, 9010, 9030]) {
      const us = (START_MS + ms) * 1000;
      while (feed.nextUs <= us) feed.advance(us + 1);
      trusted[ms] = feed.book.isSynchronised;
    }
    expect(trusted).toEqual({
      500: true,
      1010: true,
      1500: false,
      4500: false,
      9010: false,
      9030: true,
    });
  });

  it("stays unknown in a replay that begins during the loss", async () => {
    const { store } = await imported(BROKEN);
    const tape = await openTape(store, "btcusdt", { ...WISH, fromUs: (START_MS + 5000) * 1000 });
    const clock = new ReplayClock((START_MS + 5000) * 1000);
    const feed = new BookFeed(
      tape,
      clock,
      () => undefined,
      () => false,
    );
    while (feed.nextUs < (START_MS + 6000) * 1000) feed.advance((START_MS + 6000) * 1000);
    expect(feed.book.isSynchronised).toBe(false);
  });

  it("is unknown up to the file's end without a snapshot, and the next day too if its file begins without one", async () => {
    const { store, day, findings } = await imported(BROKEN.slice(0, 3));
    expect([day.covered, day.lost]).toEqual([[at(0, 1001)], [at(1001, 4001)]]);
    expect(findings[0]).toMatch(/the book is unknown at its end, since no snapshot follows$/);
    const folder = scratchFolder();
    const next = fileOf(
      folder,
      "next.ndjson",
      lineOf({ ms: 86_400_000, update: [16, 16, 15], bids: [[60, 1]] }),
    );
    await take(store, [next]);
    const tape = await openTape(store, "btcusdt", WISH);
    const book = new BookState();
    book.play(tape, tape.messages);
    expect([book.isKnown, book.rowsBeyondKnown()]).toEqual([false, [[60, 1]]]);
  });

  // The import's sentence once ended at "the book is not known", and levels behind the snapshot
  // stayed as if no message was missing.
  it.each([
    [
      "after it",
      [
        { ms: 4000, update: [15, 15, 14] },
        { ms: 4000, snapshot: 20, bids: [[95, 6]], asks: [[96, 1]] },
      ],
    ],
    [
      "before it",
      [
        { ms: 1000, snapshot: 20, bids: [[95, 6]], asks: [[96, 1]] },
        { ms: 4000, update: [21, 21, 20] },
      ],
    ],
  ] as const)(
    "is unknown for the millisecond in which a snapshot restores the chain %s, and then has no old levels",
    async (_, rest) => {
      const known: readonly Message[] = [
        BEGIN,
        { ms: rest[0].ms === 4000 ? 4000 : 1000, update: [11, 12, 10], bids: [[98, 3]] },
      ];
      const { store, day, findings } = await imported([...known, ...rest]);
      const { ms } = known[1] as Message;
      expect(day.lost).toEqual([at(ms, ms + 1)]);
      expect(findings).toEqual([
        "1 updates do not continue the one before (by prevEndSequence, else beginSequence): the book is unknown for 0.001 s, each time to the next snapshot",
      ]);
      expect(finalBook(await openTape(store, "btcusdt", WISH))).toEqual([
        [95, 6],
        [-96, 1],
      ]);
    },
  );

  it("does not leave the lost time to another source, since its rows remain", async () => {
    const { store } = await imported(BROKEN);
    const other = fileOf(
      scratchFolder(),
      "other.ndjson",
      lineOf({ ms: 5000, snapshot: 1, bids: [[50, 1]] }),
    );
    await expect(take(store, [other])).rejects.toThrow(
      /the store already has book of 2025-01-12 from another source/,
    );
  });
});

describe("the chain of a book's messages", () => {
  /** Breaks, and the time lost because of them in milliseconds after the beginning. */
  const chainIn = async (
    duck: Duck,
    messages: readonly Message[],
  ): Promise<readonly [number, ...Span[]]> => {
    const path = fileOf(scratch, "book.ndjson", messages.map(lineOf).join(""));
    const from = `read_json('${path}', format='newline_delimited', columns={type: 'VARCHAR', "timestamp": 'BIGINT', sequence: 'BIGINT', beginSequence: 'BIGINT', endSequence: 'BIGINT', prevEndSequence: 'BIGINT'})`;
    const { breaks, lost } = await brokenChain(duck, from);
    return [
      breaks,
      ...lost.map(
        ([start, end]): Span => [
          start - START_MS,
          end < 1e12 * 4 ? end - START_MS : Number.POSITIVE_INFINITY,
        ],
      ),
    ];
  };
  const withDuck = async <T>(work: (duck: Duck) => Promise<T>): Promise<T> => {
    scratch = scratchFolder();
    const duck = await Duck.open(join(scratch, "spill"), { memoryMb: 100, threads: 1 });
    try {
      return await work(duck);
    } finally {
      duck.close();
    }
  };
  const chainOf = (messages: readonly Message[]): ReturnType<typeof chainIn> =>
    withDuck((duck) => chainIn(duck, messages));
  let scratch = "";

  it("holds if an unrelated snapshot of any age lies between two consecutive updates", async () => {
    expect(
      await chainOf([
        BEGIN,
        { ms: 1, update: [11, 12, 10] },
        { ms: 2, snapshot: 11 },
        { ms: 3, update: [13, 13, 12] },
      ]),
    ).toEqual([0]);
  });

  it("holds by the first sequence of an update that does not name the previous one, as on the exchange", async () => {
    expect(
      await chainOf([BEGIN, { ms: 1, update: [11, 12] }, { ms: 2, update: [13, 13] }]),
    ).toEqual([0]);
    expect(
      await chainOf([BEGIN, { ms: 1, update: [11, 12] }, { ms: 2, update: [14, 14] }]),
    ).toEqual([1, [2, Number.POSITIVE_INFINITY]]);
  });

  it("is broken after a snapshot that the next update does not continue", async () => {
    expect(
      await chainOf([BEGIN, { ms: 5, update: [13, 13, 12] }, { ms: 9, snapshot: 13 }]),
    ).toEqual([1, [1, 9]]);
  });

  it("is broken before a snapshot that follows a lost connection, since earlier levels are unknown", async () => {
    const messages: Message[] = [
      BEGIN,
      { ms: 5, update: [11, 11, 10] },
      { ms: 600_000, snapshot: 90 },
      { ms: 600_001, update: [91, 91, 90] },
    ];
    expect(await chainOf(messages)).toEqual([1, [6, 600_000]]);
  });

  it("never lets a book be replayed with a missing message, whichever messages are missing", async () => {
    // Snapshots at a fixed interval of messages; each update names the one before it; some messages
    // are dropped.
    const streams = fc.array(
      fc.record({
        isSnapshot: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
        isDropped: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      }),
      { minLength: 2, maxLength: 30 },
    );
    await withDuck((duck) =>
      fc.assert(
        fc.asyncProperty(streams, async (stream) => {
          let sequence = 1;
          const kept: Message[] = [
            { ms: -20, snapshot: 0 },
            { ms: -10, update: [1, 1, 0] },
          ];
          // True at each instant at which all updates since the last kept snapshot were kept.
          const isKnownAt: boolean[] = [];
          let isKnown = true;
          stream.forEach(({ isSnapshot, isDropped }, index) => {
            const ms = index * 10;
            if (isSnapshot) {
              if (isDropped) return;
              kept.push({ ms, snapshot: sequence });
              isKnown = true;
            } else {
              sequence += 1;
              if (isDropped) isKnown = false;
              else kept.push({ ms, update: [sequence, sequence, sequence - 1] });
            }
            isKnownAt[index] = isKnown;
          });
          const [, ...lost] = await chainIn(duck, kept);
          const lastMs = kept.at(-1)?.ms ?? 0;
          isKnownAt.forEach((known, index) => {
            const ms = index * 10;
            // Only the next update shows a loss.
            const isShown = kept.some(
              ({ ms: later, update }) => update !== undefined && later >= ms,
            );
            if (known || ms > lastMs || !isShown) return;
            expect(lost.some(([from, to]) => ms >= from && ms < to)).toBe(true);
          });
          const missed = isKnownAt.includes(false);
          if (!missed) expect(lost).toEqual([]);
        }),
        { numRuns: 30 },
      ),
    );
  });
});
