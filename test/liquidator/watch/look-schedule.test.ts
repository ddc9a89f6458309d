import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ChainMarket } from "#chain/lens-results.js";
import { ConfigError } from "#core/errors.js";
import { AccountPollSchedule } from "#liquidator/account-poll-schedule.js";
import type { ConfirmedAccount } from "#liquidator/candidate.js";
import { toMarginMarket } from "#liquidator/margin-markets.js";
import { computeNearness, rankCandidates } from "#liquidator/rank-candidates.js";
import { mulFixed } from "#perpetual/fixed-point.js";
import { isSafe } from "#perpetual/margin.js";
import { applyBalanceChange, type MarginAccount } from "#perpetual/margin-account.js";

const USD = 10n ** 6n;
const COIN = 10n ** 18n;
const PERCENT = COIN / 100n;
const [BTC, ETH] = [`0x${"b".repeat(40)}`, `0x${"e".repeat(40)}`] as [string, string];

/** Prices in units of credit; a funding rate alike. Maintenance margin of both is 3 %. */
function markets(btc: bigint, eth = 2_000n * USD, fundingRate = 0n): Map<string, ChainMarket> {
  const market = (perp: string, creditPerCoin: bigint): [string, ChainMarket] => [
    perp,
    {
      perp,
      name: perp,
      initialMarginRatio: 5n * PERCENT,
      maintenanceMarginRatio: 3n * PERCENT,
      liquidationPriceOff: PERCENT,
      insuranceFeeRate: PERCENT,
      markPriceSource: perp,
      isRegistered: true,
      fundingRate,
      markPrice: { ok: true, creditPerCoin },
    },
  ];
  return new Map([market(BTC, btc), market(ETH, eth)]);
}

function margin(
  at: Map<string, ChainMarket>,
  dollars: number,
  ...positions: readonly (readonly [string, bigint])[]
): MarginAccount {
  let account: MarginAccount = {
    netValueCredit: BigInt(Math.round(dollars * 1e6)),
    exposureCredit: 0n,
    initialMarginCredit: 0n,
    maintenanceMarginCredit: 0n,
    papers: new Map(),
  };
  for (const [perp, paper] of positions) {
    const market = toMarginMarket(at.get(perp) as ChainMarket);
    if (market !== undefined)
      account = applyBalanceChange(account, market, paper, -mulFixed(paper, market.markPrice));
  }
  return account;
}

const read = (account: string, of: MarginAccount): ConfirmedAccount => ({
  kind: "read",
  account,
  isSafe: isSafe(of),
  margin: of,
  holdings: { ok: true, primaryCredit: 0n, secondaryCredit: 0n, positions: [] },
  costs: new Map(),
});
const stale = (account: string): ConfirmedAccount => ({
  kind: "unreadable",
  account,
  revert: { kind: "stale-price", text: "NO_VALID_DATA" },
});

const START = markets(30_000n * USD);
/** A long of one coin, so many dollars above its maintenance margin of 900. */
const withSlack = (dollars: number) => margin(START, 900 + dollars, [BTC, COIN]);

describe("candidates", () => {
  it("are ranked nearest to liquidation first, and ties by the larger discount", () => {
    const accounts = [
      read("0xfar", withSlack(3_000)),
      stale("0xstale"),
      read("0xnear", withSlack(30)),
      read("0xtwice", margin(START, 1_860, [BTC, 2n * COIN])),
      read("0xempty", margin(START, 100)),
      read("0xbroken", withSlack(-1)),
    ];
    const ranked = rankCandidates({ accounts, markets: START });
    expect(ranked.map(({ account }) => account)).toEqual([
      "0xbroken",
      "0xtwice",
      "0xnear",
      "0xfar",
    ]);
    const [broken, , near, far] = ranked.map(({ nearness }) => nearness.distanceBps) as number[];
    expect(broken).toBe(0);
    // 30 dollars of slack over 97 % of 30,000.
    expect(near).toBeCloseTo((30 / (30_000 * 0.97)) * 10_000, 1);
    expect(far).toBeGreaterThan(1_000);
    expect(ranked[2]?.discountCredit).toBe(300n * USD);
  });

  it("are as near as the nearest of their markets, whichever way its price has to go", () => {
    const marginMarkets = new Map(
      [...START].map(([perp, market]) => [perp, toMarginMarket(market) as never]),
    );
    const both = margin(START, 1_200, [BTC, COIN / 10n], [ETH, -10n * COIN]);
    const { distanceBps, liquidationPrices, slackCredit } = computeNearness(both, marginMarkets);
    expect(slackCredit).toBe(510n * USD);
    expect(liquidationPrices.get(BTC)).toBeLessThan(30_000n * USD);
    expect(liquidationPrices.get(ETH)).toBeGreaterThan(2_000n * USD);
    expect(distanceBps).toBeCloseTo((510 / (20_000 * 1.03)) * 10_000, 0);
  });
});

describe("looks", () => {
  it("come sooner the nearer liquidation is, and in every block beyond it", () => {
    const schedule = new AccountPollSchedule({ bpsPerBlock: 10, maxBlocks: 100 });
    for (const account of ["0xfar", "0xnear", "0xmiddle", "0xbroken"]) schedule.add(account);
    const accounts = [
      read("0xfar", withSlack(20_000)),
      read("0xmiddle", withSlack(1_000)),
      read("0xnear", withSlack(60)),
      read("0xbroken", withSlack(-5)),
    ];
    schedule.onPolled({ blockNumber: 1000, accounts, markets: START });
    const firstDue = (account: string) => {
      let block = 1000;
      while (!schedule.due(block, 10).includes(account)) block += 1;
      return block - 1000;
    };
    expect(["0xbroken", "0xnear", "0xmiddle", "0xfar"].map(firstDue)).toEqual([1, 2, 34, 100]);
  });

  it("start with unsafe and changed accounts; accounts beyond the budget stay due", () => {
    const schedule = new AccountPollSchedule();
    for (const account of ["0xa", "0xb", "0xc"]) schedule.add(account);
    const accounts = [
      read("0xa", withSlack(60)),
      read("0xb", withSlack(-5)),
      read("0xc", withSlack(9_000)),
    ];
    schedule.onPolled({ blockNumber: 10, accounts, markets: START });
    schedule.markChanged("0xc");
    schedule.add("0xnew");
    const order = schedule.due(20, 10);
    expect(order).toHaveLength(4);
    expect(order[0]).toBe("0xnew");
    expect(order.slice(1, 3).sort()).toEqual(["0xb", "0xc"]);
    expect(order[3]).toBe("0xa");
    expect(schedule.due(20, 2)).toEqual(order.slice(0, 2));
  });

  it("that fail do not count: due accounts stay due", () => {
    const schedule = new AccountPollSchedule();
    schedule.add("0xa");
    const due = schedule.due(5, 10);
    for (let block = 6; block < 50; block += 1) expect(schedule.due(block, 10)).toEqual(due);
    // Nor does an answer that is older than the last one.
    schedule.onPolled({ blockNumber: 60, accounts: [read("0xa", withSlack(-5))], markets: START });
    schedule.onPolled({
      blockNumber: 59,
      accounts: [read("0xa", withSlack(9_000))],
      markets: START,
    });
    expect(schedule.due(61, 10)).toEqual(["0xa"]);
  });

  it("of an unreadable account are repeated soon, and its last data is kept", () => {
    const schedule = new AccountPollSchedule({ unreadableBlocks: 3 });
    schedule.add("0xa");
    schedule.onPolled({ blockNumber: 10, accounts: [read("0xa", withSlack(30))], markets: START });
    schedule.onPolled({ blockNumber: 12, accounts: [stale("0xa")], markets: START });
    expect([schedule.due(14, 1), schedule.due(15, 1)]).toEqual([[], ["0xa"]]);
    expect(schedule.onPrices(markets(29_000n * USD))).toBe(1);
  });

  it("end for an account that holds nothing, until it is reported again", () => {
    const schedule = new AccountPollSchedule();
    schedule.add("0xa");
    schedule.onPolled({
      blockNumber: 10,
      accounts: [read("0xa", margin(START, 5))],
      markets: START,
    });
    expect(schedule.size).toBe(0);
    schedule.markChanged("0xa");
    expect(schedule.due(11, 1)).toEqual(["0xa"]);
  });
});

describe("a price that moved", () => {
  it("makes every account due that it made unsafe, and no other", () => {
    const prices = fc.tuple(
      fc.integer({ min: 24_000, max: 36_000 }),
      fc.integer({ min: 1_600, max: 2_400 }),
      fc.integer({ min: -50, max: 50 }),
    );
    const positions = fc.record({
      btc: fc.integer({ min: -20, max: 20 }),
      eth: fc.integer({ min: -200, max: 200 }),
      slack: fc.integer({ min: 0, max: 6_000 }),
    });
    let broke = 0;
    fc.assert(
      fc.property(
        fc.array(positions, { minLength: 1, maxLength: 12 }),
        prices,
        (each, [btc, eth, funding]) => {
          const schedule = new AccountPollSchedule();
          const now = markets(BigInt(btc) * USD, BigInt(eth) * USD, BigInt(funding) * USD);
          const held = each.map((what) => {
            const list: [string, bigint][] = [
              [BTC, (BigInt(what.btc) * COIN) / 10n],
              [ETH, (BigInt(what.eth) * COIN) / 10n],
            ];
            const open = list.filter(([, paper]) => paper !== 0n);
            const bare = margin(START, 0, ...open);
            const dollars = Number(bare.maintenanceMarginCredit) / 1e6 + what.slack;
            const then = margin(START, dollars, ...open);
            // The chain's current figure for it: the opening credit with funding applied, at
            // current prices.
            const credit = open.reduce((sum, [perp, paper]) => {
              const opened = toMarginMarket(START.get(perp) as ChainMarket)?.markPrice ?? 0n;
              return sum - mulFixed(paper, opened) + mulFixed(paper, BigInt(funding) * USD);
            }, then.netValueCredit);
            const value = open.reduce(
              (sum, [perp, paper]) =>
                sum +
                mulFixed(paper, toMarginMarket(now.get(perp) as ChainMarket)?.markPrice ?? 0n),
              credit,
            );
            const needed = margin(now, 0, ...open).maintenanceMarginCredit;
            return { open, then, isSafeNow: value >= needed };
          });
          held.forEach((_, i) => {
            schedule.add(`0x${i}`);
          });
          schedule.onPolled({
            blockNumber: 10,
            accounts: held.map(({ then }, i) => read(`0x${i}`, then)),
            markets: START,
          });
          const expected = held.filter(
            ({ isSafeNow, open }) => !isSafeNow && open.length > 0,
          ).length;
          expect(schedule.onPrices(now)).toBe(expected);
          // None waits for its turn: an account on the very edge is due in the next block anyway.
          const due = schedule.due(10, 100);
          held.forEach(({ isSafeNow, open }, i) => {
            if (!isSafeNow && open.length > 0) expect(due).toContain(`0x${i}`);
          });
          broke += expected;
        },
      ),
      { numRuns: 150, seed: 5 },
    );
    expect(broke).toBeGreaterThan(50);
  });

  it("counts a market without a price as unchanged", () => {
    const schedule = new AccountPollSchedule();
    schedule.add("0xa");
    schedule.onPolled({ blockNumber: 10, accounts: [read("0xa", withSlack(30))], markets: START });
    const dark = new Map(
      [...markets(1n)].map(([perp, market]) => [
        perp,
        { ...market, markPrice: { ok: false, revert: { kind: "stale-price", text: "" } } as const },
      ]),
    );
    expect(schedule.onPrices(dark)).toBe(0);
  });
});

describe("memory", () => {
  it("is bounded: accounts furthest from liquidation are dropped first", () => {
    const schedule = new AccountPollSchedule({ maxAccounts: 32 });
    for (let i = 0; i < 32; i += 1) schedule.add(`0x${i}`);
    const accounts = Array.from({ length: 32 }, (_, i) => read(`0x${i}`, withSlack(i * 100)));
    schedule.onPolled({ blockNumber: 1, accounts, markets: START });
    for (let i = 0; i < 1000; i += 1) schedule.add(`0xnew${i}`);
    expect(schedule.size).toBeLessThanOrEqual(32);
    const known = schedule.due(1_000_000, 100).filter((account) => !account.startsWith("0xnew"));
    expect(known).toContain("0x0");
    expect(known).not.toContain("0x31");
  });

  it("rejects invalid options", () => {
    expect(() => new AccountPollSchedule({ maxAccounts: 0 })).toThrow(ConfigError);
    expect(() => new AccountPollSchedule({ bpsPerBlock: Number.NaN })).toThrow(ConfigError);
  });
});
