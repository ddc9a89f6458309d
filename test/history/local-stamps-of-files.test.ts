import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HistoryStore } from "#history/history-store.js";
import { checkMapping, type Mapping } from "#history/mapping.js";
import { fileOf, query, scratchFolder, take } from "./scratch.js";

const MS = Date.UTC(2025, 0, 1, 3);
const HOUR_MS = 3_600_000;
const SECONDS = 23;

/**
 * Trades one second apart, received some milliseconds later.
 * @param local the text of the local stamp, from milliseconds.
 */
function trades(local: (ms: number) => string, lateMs = 5): string {
  const rows = Array.from(
    { length: SECONDS },
    (_, at) => `${MS + at * 1000},${local(MS + at * 1000 + lateMs)},${at + 1},buy,100,1\n`,
  );
  return `time,recv,id,side,price,amount\n${rows.join("")}`;
}

function mappingOf(recvTimeUnit: string | undefined): Mapping {
  const columns = {
    time: "time",
    recvTime: "recv",
    id: "id",
    side: "side",
    price: "price",
    amount: "amount",
  };
  return checkMapping({ kind: "trades", recvTimeUnit, columns });
}

function emptyStore(): { readonly folder: string; readonly store: HistoryStore } {
  const folder = scratchFolder();
  return { folder, store: new HistoryStore(join(folder, "history")) };
}

async function refused(
  content: string,
  mapping: Mapping | undefined,
  message: RegExp,
): Promise<void> {
  const { folder, store } = emptyStore();
  await expect(
    take(store, [fileOf(folder, "t.csv", content)], mapping === undefined ? {} : { mapping }),
  ).rejects.toThrow(message);
  expect(store.series()).toEqual([]);
}

// Seconds read as milliseconds lie in 1970. The correction of the clock then delayed the whole book
// by the length of the file: the bot received everything too late, and had no fills.
describe("local stamps of a file", () => {
  it.each([
    ["seconds as milliseconds", (ms: number) => String(ms / 1000), undefined],
    ["milliseconds as microseconds", String, "us"],
    ["microseconds as nanoseconds", (ms: number) => `${ms}000`, "ns"],
    ["milliseconds as nanoseconds", String, "ns"],
  ])("are refused in another unit than the stated one: %s", (_what, local, unit) =>
    refused(
      trades(local),
      mappingOf(unit),
      /23 of 23 rows are invalid, the first is row 1, .*recvNs.*2009 to 2099.*--recv-time-unit/,
    ),
  );

  it("are refused where a single row has another unit than the rest", async () => {
    const last = (ms: number): string =>
      ms >= MS + (SECONDS - 1) * 1000 ? String(ms) : `${ms}000`;
    await refused(trades(last), mappingOf("us"), /1 of 23 rows are invalid, the first is row 23/);
  });

  it.each([
    [
      "the exchange's own records",
      `id,price,amount,time,isBuyerMaker,recvTimeNs\n1,100,1,${MS},true,${MS}000\n`,
    ],
    [
      "a book of them",
      `{"type":"snapshot","sequence":1,"timestamp":${MS},"recvTimeNs":${MS},"bids":[["1","1"]],"asks":[["2","1"]]}\n`,
    ],
    [
      "Tardis",
      `exchange,symbol,timestamp,local_timestamp,id,side,price,amount\nbinance,BTCUSDT,${MS}000,${MS},1,buy,100,1\n`,
    ],
    ["marks", `time,markPrice,recvTimeNs\n${MS},100,${MS}\n`],
    ["bests", `time,bid,bidAmount,ask,askAmount,recvTimeNs\n${MS},1,1,2,1,${MS}000\n`],
  ])("are refused so in %s", (_what, content) =>
    refused(content, undefined, /recvNs .*local times from 2009 to 2099/),
  );

  it.each([
    ["a time zone ahead", 8 * HOUR_MS, /28800\.005 s after the exchange's/],
    ["a time zone behind", -5 * HOUR_MS, /17999\.995 s before the exchange's/],
    ["a half-hour zone behind", -HOUR_MS / 2, /1799\.995 s before the exchange's/],
  ])("are refused instead of corrected if they are of %s", async (_what, shiftMs, message) => {
    const content = trades((ms) => String(ms + shiftMs));
    await refused(content, mappingOf(undefined), message);
    await refused(content, mappingOf(undefined), /t\.csv.*--clock-offset-ns/);
    const { folder, store } = emptyStore();
    const clock = { partsAt: [], baseLatencyNs: 0n, offsetNs: BigInt(-shiftMs) * 1_000_000n };
    const { files } = await take(store, [fileOf(folder, "t.csv", content)], {
      mapping: mappingOf(undefined),
      clock,
    });
    expect(files[0]?.findings).toEqual([]);
    const [row] = await query(
      store,
      `SELECT min(recvNs - timeNs)::VARCHAR AS least FROM '${store.root}/btcusdt/trades/*.parquet'`,
    );
    expect(row?.least).toBe("5000000");
  });

  // The correction takes the smallest difference. A single stamp of a stepped clock once delayed a
  // whole capture by as much.
  it.each([
    ["a quarter of an hour", 840_000, "839.995"],
    ["more than any clock is off", 1_200_000, "1199.995"],
    ["half a minute", 30_000, "29.995"],
  ])(
    "are refused if a few lie %s before all others, with their number and distance, without advice to shift all",
    async (_what, earlyMs, seconds) => {
      const early = [MS + 3005, MS + 9005];
      const content = trades((ms) => String(early.includes(ms) ? ms - earlyMs : ms));
      await refused(
        content,
        mappingOf(undefined),
        new RegExp(
          `t\\.csv: 2 of 23 local times are up to ${seconds.replace(".", "\\.")} s before the exchange's, but the other 21 are not: the farthest of them is 0\\.005 s after the exchange's.*2025-01-01T03:00:03Z.*correct or remove those rows`,
        ),
      );
      await refused(content, mappingOf(undefined), /^(?!.*clock-offset-ns)/s);
    },
  );

  it("are still refused as a whole if nearly all lie in another time zone", () =>
    refused(
      trades((ms) => String(ms - 5 * HOUR_MS - (ms === MS + 3005 ? 60_000 : 0))),
      mappingOf(undefined),
      /are up to 18059\.995 s before the exchange's, more than a clock.*--clock-offset-ns/,
    ));

  it("are corrected with a warning if the clock was far off, and without one if it was slightly off", async () => {
    for (const [shiftMs, findings] of [
      [-30_000, [expect.stringMatching(/are up to 29\.995 s before the exchange's,/)]],
      [-800, []],
    ] as const) {
      const { folder, store } = emptyStore();
      const file = fileOf(
        folder,
        "t.csv",
        trades((ms) => String(ms + shiftMs)),
      );
      const { files } = await take(store, [file], { mapping: mappingOf(undefined) });
      expect(files[0]?.findings).toEqual(findings);
      expect(store.days({ market: "btcusdt", kind: "trades" })[0]?.findings).toEqual(findings);
    }
  });
});

// A run pays no funding before an instant in the year 56000, and none after one in 1970.
describe("the next funding time of marks", () => {
  const marks = (next: string): string => `t,mark,rate,next\n${MS}000,100,0.0001,${next}\n`;
  const columns = { time: "t", mark: "mark", fundingRate: "rate" };

  it("is converted by the mapping's unit, like any other time", async () => {
    const { folder, store } = emptyStore();
    const mapping = checkMapping({
      kind: "marks",
      timeUnit: "us",
      columns: { ...columns, nextFundingTime: "next" },
    });
    await take(store, [fileOf(folder, "m.csv", marks(`${MS + 5000}000`))], { mapping });
    const [row] = await query(
      store,
      `SELECT nextFundingMs::VARCHAR AS next FROM '${store.root}/btcusdt/marks/*.parquet'`,
    );
    expect(row?.next).toBe(String(MS + 5000));
  });

  it("is refused in another unit, and may be missing", async () => {
    const { folder, store } = emptyStore();
    const mapping = checkMapping({
      kind: "marks",
      timeUnit: "us",
      columns: { ...columns, nextFundingMs: "next" },
    });
    const odd = fileOf(folder, "m.csv", marks(`${MS + 5000}000`));
    await expect(take(store, [odd], { mapping })).rejects.toThrow(
      /nextFundingMs .*milliseconds from 2009 to 2099.*nextFundingTime/,
    );
    const own = fileOf(
      folder,
      "own.csv",
      `time,markPrice,nextFundingTime\n${MS},100,${MS / 1000}\n`,
    );
    await expect(take(store, [own])).rejects.toThrow(/nextFundingMs/);
    await take(store, [fileOf(folder, "none.csv", marks("0"))], { mapping });
    expect(() =>
      checkMapping({
        kind: "marks",
        columns: { ...columns, nextFundingMs: "next", nextFundingTime: "next" },
      }),
    ).toThrow(/nextFundingMs: is given twice/);
  });
});
