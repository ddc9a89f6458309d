import { describe, expect, it } from "vitest";
import { type AccountHealth, evaluateGuards, type MarketHealth } from "#risk/guards.js";
import type { GuardLimits } from "#risk/limits.js";
import { addEvent, countEvents, EMPTY_MINUTE, type MinuteWindow } from "#risk/minute-window.js";

const NOW = 1_000_000;
const limits: GuardLimits = {
  maxBookAgeMs: 2_000,
  maxAccountAgeMs: 90_000,
  maxClockOffsetMs: 4_000,
  maxClockAgeMs: 120_000,
  maxLoopLagMs: 500,
  maxRulesAgeMs: 900_000,
  maxRejectsPerMinute: 3,
};

const wellMarket: MarketHealth = {
  marketId: "btcusdc",
  isBookSynchronised: true,
  hasHadBook: true,
  isPositionKnown: true,
  bookAtMs: NOW - 2_000,
  status: "TRADING",
  stage: "LIVE",
  unread: undefined,
  rejects: EMPTY_MINUTE,
  rulesChanged: undefined,
};

const wellAccount: AccountHealth = {
  isConfirmed: true,
  accountAtMs: NOW - 90_000,
  clockOffsetMs: -4_000,
  clockAtMs: NOW - 120_000,
  domainMismatch: undefined,
  bannedUntilMs: undefined,
  trouble: undefined,
  rulesAtMs: NOW - 900_000,
  rulesTrouble: undefined,
  loopLagMs: undefined,
};

const tripsOf = (account: Partial<AccountHealth>, market: Partial<MarketHealth>) =>
  evaluateGuards(
    { account: { ...wellAccount, ...account }, markets: [{ ...wellMarket, ...market }] },
    limits,
    NOW,
  );

function rejected(times: number, atMs: number): MinuteWindow {
  let window = EMPTY_MINUTE;
  for (let i = 0; i < times; i++) window = addEvent(window, atMs);
  return window;
}

describe("the guards", () => {
  it("let a healthy bot trade, at the very edge of every limit", () => {
    expect(tripsOf({}, {})).toEqual([]);
  });

  it.each([
    ["stale-account", { accountAtMs: NOW - 90_001 }],
    ["stale-account", { accountAtMs: undefined }],
    ["unconfirmed-account", { isConfirmed: false }],
    ["clock-offset", { clockOffsetMs: 4_001 }],
    ["clock-offset", { clockOffsetMs: -4_001 }],
    ["clock-offset", { clockOffsetMs: Number.NaN }],
    ["clock-unknown", { clockOffsetMs: undefined }],
    ["clock-unknown", { clockAtMs: NOW - 120_001 }],
    ["banned", { bannedUntilMs: NOW + 1 }],
    ["exchange-info-unread", { rulesAtMs: NOW - 900_001 }],
    ["exchange-info-unread", { rulesAtMs: undefined }],
  ] as const)("stop the account by %s, until it is over", (name, account) => {
    expect(tripsOf(account, {})).toMatchObject([{ scope: "account", name, resumesByItself: true }]);
  });

  it.each([
    ["stale-book", { bookAtMs: NOW - 2_001 }],
    ["stale-book", { bookAtMs: Number.NEGATIVE_INFINITY }],
    ["book-unsynchronised", { isBookSynchronised: false }],
    ["book-unsynchronised", { isBookSynchronised: false, hasHadBook: false }],
    ["position-unknown", { isPositionKnown: false }],
    ["market-not-trading", { status: "SUSPENDED" }],
    ["market-not-trading", { status: undefined }],
    ["reject-storm", { rejects: rejected(4, NOW - 59_999) }],
  ] as const)("stop one market by %s, until it is over", (name, market) => {
    expect(tripsOf({}, market)).toMatchObject([
      { scope: "market", marketId: "btcusdc", name, resumesByItself: true },
    ]);
  });

  it("names what the start still waits for, and the age of what is old", () => {
    const why = (account: Partial<AccountHealth>, market: Partial<MarketHealth> = {}) =>
      tripsOf(account, market).map((trip) => trip.why);
    const unread = { clockOffsetMs: undefined, clockAtMs: Number.NEGATIVE_INFINITY };
    expect(why(unread)).toEqual(["the exchange's time has not been read yet"]);
    expect(why({ clockAtMs: NOW - 120_001 })).toEqual([
      "the exchange's time was read 120001 ms ago, allowed 120000 ms",
    ]);
    expect(why({}, { isBookSynchronised: false, hasHadBook: false })).toEqual([
      "the book has no snapshot yet",
    ]);
    expect(why({}, { isBookSynchronised: false })).toEqual([
      "the book is not in sync with the exchange's sequence",
    ]);
  });

  it("halt until a person resumes if the data that we sign or trade on differs from the bot's start", () => {
    expect(tripsOf({ domainMismatch: "chainId 1, not 8453" }, {})).toMatchObject([
      { name: "domain-mismatch", resumesByItself: false },
    ]);
    expect(tripsOf({}, { rulesChanged: "perp address" })).toMatchObject([
      { name: "exchange-info-changed", resumesByItself: false },
    ]);
  });

  it("end the halt of a ban when its time is over", () => {
    expect(tripsOf({ bannedUntilMs: NOW }, {})).toEqual([]);
  });

  it("report the measured value and the allowed one", () => {
    expect(tripsOf({}, { bookAtMs: NOW - 5_000.318_4 })[0]?.why).toBe(
      "the book was last in sync 5000 ms ago, allowed 2000 ms",
    );
  });

  it("count rejections over a sliding minute", () => {
    const window = addEvent(addEvent(rejected(2, 1_000), 30_000), 60_999);
    expect([
      countEvents(window, 60_999),
      countEvents(window, 61_000),
      countEvents(window, 89_999),
      countEvents(window, 200_000),
    ]).toEqual([4, 2, 2, 0]);
    expect(addEvent(window, 500_000).atMs).toEqual([500_000]);
  });
});
