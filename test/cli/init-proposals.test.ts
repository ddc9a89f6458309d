import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { explainedValues, renderConfigLines } from "#cli/config-line.js";
import type { MarketFacts } from "#cli/market-facts.js";
import { nextCommands } from "#cli/next-commands.js";
import { proposeBot } from "#cli/propose-bot.js";
import { proposeParams } from "#cli/propose-params.js";
import { proposeSizes } from "#cli/propose-sizes.js";
import { proposeSpread, ticksToBps } from "#cli/propose-spread.js";
import { RISK_APPETITES } from "#cli/risk-appetites.js";
import { ConfigError } from "#core/errors.js";
import { Instrument } from "#core/instrument.js";
import type { VenueRules } from "#exchange/records.js";
import { builtInStrategies } from "#strategies/built-in.js";

const BP = 10n ** 14n;
const { careful, balanced, bold } = RISK_APPETITES;

interface Market {
  readonly tickSize?: string;
  readonly stepSize?: string;
  readonly bid?: number;
  readonly ask?: number;
  readonly depthLots?: number;
  readonly sigmaBps?: number | undefined;
  readonly rules?: Partial<MarketFacts["rules"]>;
}

/** A market of 60000.0 with a spread of a tick, where nothing else is said. */
function market({
  tickSize = "0.1",
  stepSize = "0.001",
  bid = 600_000,
  ask = 600_001,
  depthLots = 4000,
  sigmaBps = 0.5,
  rules = {},
}: Market = {}): MarketFacts {
  return {
    marketId: "btcusdc",
    instrument: new Instrument({
      marketId: "btcusdc",
      tickSize,
      stepSize,
      creditDecimals: 6,
      paperDecimals: 18,
    }),
    rules: {
      marketId: "btcusdc",
      tickSize,
      stepSize,
      minTicks: 1,
      maxTicks: 10 ** 9,
      minLots: 1,
      maxLots: 1_000_000,
      marketMinLots: 1,
      marketMaxLots: 1_000_000,
      maxOpenOrders: 200,
      makerFeeRate: 0n,
      takerFeeRate: 5n * BP,
      maxLeverage: 20,
      liquidationLeverage: "33",
      perp: "0x0000000000000000000000000000000000000001",
      stage: "TRADING",
      status: "TRADING",
      fundingIntervalMs: 28_800_000,
      ...rules,
    },
    bestBidTicks: bid,
    bestAskTicks: ask,
    depthLots,
    sigmaBps,
    sigmaSpanMs: 600_000,
  };
}

const venue = { waiveGasFeeMinimumQuote: 0n };
const quote = (amount: number): bigint => BigInt(amount) * 1_000_000n;

describe("the reasons of a proposal", () => {
  it("say that a fill earns mostly by the rebate where the spread is below it", () => {
    const rebate = market({ rules: { makerFeeRate: -BP / 2n } });
    expect(proposeSpread(rebate, balanced).reason).toContain(
      "so close, a fill earns mostly by the maker rebate of 0.5 bps",
    );
    expect(proposeSpread(market(), balanced).reason).not.toContain("rebate");
    const wide = market({ bid: 599_900, ask: 600_100, rules: { makerFeeRate: -BP / 2n } });
    expect(proposeSpread(wide, balanced).reason).not.toContain("rebate");
  });
});

describe("the proposed half spread", () => {
  it("covers the maker fee and a tick", () => {
    // 2 bps of 60000.05 are 120.0001 ticks.
    const { halfSpreadTicks, floorTicks, reason } = proposeSpread(
      market({ rules: { makerFeeRate: 2n * BP } }),
      bold,
    );
    expect([halfSpreadTicks, floorTicks]).toEqual([122, 122]);
    expect(reason).toBe("init proposed 122 ticks: the maker fee (121 ticks), and a tick");
  });

  it("is at least a tick where makers are paid", () => {
    const facts = market({ rules: { makerFeeRate: -BP }, sigmaBps: 0.001 });
    expect(proposeSpread(facts, bold)).toMatchObject({ halfSpreadTicks: 1, toleranceTicks: 1 });
  });

  it("is no smaller than the exchange's own", () => {
    const facts = market({ bid: 600_000, ask: 600_051, sigmaBps: 0.01 });
    expect(proposeSpread(facts, balanced)).toMatchObject({
      halfSpreadTicks: 26,
      toleranceTicks: 13,
      reason: "init proposed 26 ticks: the exchange's own half spread",
    });
  });

  it("grows with the volatility, up to a multiple of the exchange's own", () => {
    // Own half spread 10 ticks; 0.5 bps are 30 ticks.
    const facts = market({ bid: 600_000, ask: 600_020 });
    expect(proposeSpread(facts, balanced).halfSpreadTicks).toBe(31);
    expect(proposeSpread(facts, careful).halfSpreadTicks).toBe(61);
    expect(proposeSpread(facts, bold).halfSpreadTicks).toBe(16);
    const calm = market({ bid: 600_000, ask: 600_001 });
    expect(proposeSpread(calm, balanced).halfSpreadTicks).toBe(4);
  });

  it("takes the multiple where nothing has traded yet", () => {
    const facts = { ...market({ bid: 600_000, ask: 600_010 }), sigmaBps: undefined };
    expect(proposeSpread(facts, balanced).halfSpreadTicks).toBe(40);
  });

  it("refuses a market whose tick is too large for any", () => {
    expect(() => proposeSpread(market({ bid: 1, ask: 2 }), balanced)).toThrow(ConfigError);
  });

  it("is written in basis points that are never fewer ticks, and not a tenth of one more", () => {
    const cases = fc.tuple(
      fc.integer({ min: 2, max: 10 ** 9 }),
      fc.integer({ min: 1, max: 10 ** 6 }),
      fc.integer({ min: 1, max: 1000 }),
    );
    fc.assert(
      fc.property(cases, ([bid, spread, ticks]) => {
        const bps = ticksToBps(ticks, { bestBidTicks: bid, bestAskTicks: bid + spread });
        const back = (Number(bps) * (2 * bid + spread)) / 20_000;
        expect(back).toBeGreaterThanOrEqual(ticks * (1 - 1e-12));
        expect(back).toBeLessThan(ticks + 0.1);
      }),
    );
  });
});

describe("the proposed sizes", () => {
  it("are the appetite's shares of the balance", () => {
    // Half of 12000 at 60000.1 is 0.0999 BTC; a tenth of it is an order.
    const sizes = proposeSizes(market(), venue, {
      balance: quote(12_000),
      marketCount: 1,
      appetite: balanced,
    });
    expect(sizes).toMatchObject({ positionLots: 99, orderLots: 9, maxOrderLots: 18 });
    expect(sizes.positionReason).toBe("init proposed 0.099, worth 5940.0099: 50 % of the balance");
  });

  it("are no more than a quarter of the displayed depth", () => {
    const budget = { balance: quote(1_000_000), marketCount: 1, appetite: balanced };
    expect(proposeSizes(market({ depthLots: 41 }), venue, budget)).toMatchObject({
      orderLots: 10,
      orderReason: expect.stringContaining("a quarter of"),
    });
  });

  it("are no more than half of what margin and the exchange allow", () => {
    const budget = { balance: quote(12_000), marketCount: 1, appetite: bold };
    expect(proposeSizes(market({ rules: { maxLeverage: 1 } }), venue, budget)).toMatchObject({
      positionLots: 99,
      positionReason: "init proposed 0.099, worth 5940.0099: half of what the exchange allows",
    });
    const limited = market({ rules: { maxExposure: quote(6000) } });
    expect(proposeSizes(limited, venue, budget).positionLots).toBe(49);
  });

  it("are large enough to pay nothing for gas", () => {
    // 150 % of 100 quote are 0.0025 BTC.
    const budget = { balance: quote(1000), marketCount: 1, appetite: careful };
    const sizes = proposeSizes(market(), { waiveGasFeeMinimumQuote: quote(100) }, budget);
    expect(sizes).toMatchObject({ orderLots: 3, positionLots: 6 });
  });

  it("refuse a balance that the smallest orders would use up, and name one that is enough", () => {
    const facts = market({ rules: { minLots: 100 } });
    const budget = { balance: quote(100), marketCount: 1, appetite: careful };
    let expected = "";
    try {
      proposeSizes(facts, venue, budget);
    } catch (error) {
      expected = (error as ConfigError).expected ?? "";
    }
    const [, least = ""] = /at least ([\d.]+)/.exec(expected) ?? [];
    const enough = { ...budget, balance: BigInt(Math.ceil(Number(least) * 1e6)) };
    expect(proposeSizes(facts, venue, enough).orderLots).toBe(100);
    expect(() => proposeSizes(facts, venue, { ...enough, balance: enough.balance - 10n })).toThrow(
      ConfigError,
    );
  });

  const grids = fc.record({
    tickSize: fc.constantFrom("0.1", "0.00001", "5", "0.25", "1000", "0.000000007"),
    stepSize: fc.constantFrom("0.001", "1", "1000", "0.5", "0.00000003"),
    bid: fc.integer({ min: 5, max: 10 ** 8 }),
    spread: fc.integer({ min: 1, max: 5 }),
    depthLots: fc.integer({ min: 1, max: 10 ** 9 }),
    minLots: fc.integer({ min: 1, max: 1000 }),
    lotsRange: fc.integer({ min: 0, max: 10 ** 9 }),
    feeBps: fc.integer({ min: -5, max: 20 }),
    balance: fc.bigInt({ min: 1n, max: 10n ** 15n }),
    sigmaBps: fc.option(fc.double({ min: 0.001, max: 100, noNaN: true }), { nil: undefined }),
    risk: fc.constantFrom(careful, balanced, bold),
    strategy: fc.constantFrom(...Object.keys(builtInStrategies)),
  });

  it("are within the filters of any market, with parameters that the strategy takes", () => {
    let proposed = 0;
    fc.assert(
      fc.property(grids, (grid) => {
        const { tickSize, stepSize, bid, spread, depthLots, minLots, lotsRange, risk } = grid;
        const maxLots = minLots + lotsRange;
        const facts = market({
          tickSize,
          stepSize,
          bid,
          ask: bid + spread,
          depthLots,
          sigmaBps: grid.sigmaBps,
          rules: { minLots, maxLots, makerFeeRate: BigInt(grid.feeBps) * BP },
        });
        const input = { facts: { ...facts, sigmaBps: grid.sigmaBps }, appetite: risk };
        try {
          const sizes = proposeSizes(facts, venue, {
            balance: grid.balance,
            marketCount: 1,
            appetite: risk,
          });
          for (const lots of [sizes.orderLots, sizes.maxOrderLots]) {
            expect(lots).toBeGreaterThanOrEqual(minLots);
            expect(lots).toBeLessThanOrEqual(maxLots);
          }
          expect(sizes.positionLots).toBeGreaterThanOrEqual(sizes.orderLots);
          const spreadOf = proposeSpread(input.facts, risk);
          const strategy = builtInStrategies[grid.strategy];
          if (strategy === undefined) throw new Error("no strategy");
          const lines = proposeParams(
            { name: grid.strategy, strategy },
            { ...input, spread: spreadOf, sizes },
          );
          const sizeBase = lines.find(({ key }) => key === "sizeBase")?.value;
          expect(facts.instrument.parseAmount(String(sizeBase))).toBe(sizes.orderLots);
          proposed += 1;
        } catch (error) {
          // Too small a balance, or too large a tick.
          if (!(error instanceof ConfigError)) throw error;
          expect(error.field).toMatch(/^--(balance|market)$/);
        }
      }),
    );
    expect(proposed).toBeGreaterThan(20);
  });
});

describe("the proposed bot", () => {
  const rules = {
    ...venue,
    creditDecimals: 6,
    rateLimits: [
      { name: "COMMON", intervalMs: 60_000, limit: 2400 },
      { name: "ORDER", intervalMs: 10_000, limit: 100 },
    ],
  } as unknown as VenueRules;
  const input = {
    rules,
    markets: [market()],
    balance: quote(10_000),
    appetite: balanced,
    strategy: { name: "ladder", strategy: builtInStrategies.ladder as never },
    liquidates: false,
    isLocal: false,
  };
  const valuesOf = (changes: object) =>
    Object.fromEntries(
      explainedValues(proposeBot({ ...input, ...changes })).map(({ path, value }) => [
        path.join("."),
        value,
      ]),
    );

  it("moves its quotes as often as half of the tightest rate limit allows", () => {
    // 600 a minute, of which 300 make 75 sets of quotes: one in 800 ms.
    expect(valuesOf({})["decide.minGapMs"]).toBe("800");
    const two = [market(), { ...market(), marketId: "ethusdc" }];
    expect(valuesOf({ markets: two })["decide.minGapMs"]).toBe("1600");
    expect(valuesOf({ rules: { ...rules, rateLimits: [] } })["decide.minGapMs"]).toBe("250");
  });

  it("limits the loss to the appetite's share, and never to nothing", () => {
    expect(valuesOf({})["risk.maxDrawdownQuote"]).toBe("300");
    expect(valuesOf({ appetite: careful })["risk.maxDrawdownQuote"]).toBe("100");
    const dust = market({ stepSize: "0.0000000001", rules: { minLots: 1 } });
    expect(valuesOf({ markets: [dust], balance: 20_000n })["risk.maxDrawdownQuote"]).toBe("0.01");
    expect(() => valuesOf({ markets: [dust], balance: 10_000n })).toThrow(/--balance/);
  });

  it("never exceeds the exchange's leverage", () => {
    const low = market({ rules: { maxLeverage: 2 } });
    expect(valuesOf({ markets: [low], appetite: bold })["risk.maxLeverage"]).toBe("2");
    expect(valuesOf({ appetite: bold })["risk.maxLeverage"]).toBe("3");
  });

  it("quotes a key or a name that YAML would read as something else", () => {
    const odd = { ...market(), marketId: "1e5" };
    const text = renderConfigLines(proposeBot({ ...input, markets: [odd] }));
    expect(text).toMatch(/^ {2}"1e5":/m);
  });
});

describe("the commands to type next", () => {
  const input = {
    file: "bot.yaml",
    envFile: "bot.env",
    variables: ["DESK_KEY"],
    keyEnv: "DESK_KEY",
    env: {},
    isLocal: false,
    script: "/usr/local/bin/marketwright",
  };
  const typed = (changes: object) =>
    nextCommands({ ...input, ...changes }).map(({ command }) => command);

  it("make no key for an exchange that is not known to be of play money", () => {
    expect(typed({})).toEqual([
      "cp bot.env.example bot.env && chmod 600 bot.env",
      "set -a && . ./bot.env && set +a",
      "marketwright check bot.yaml --connect",
      "marketwright guard bot.yaml",
      "marketwright run bot.yaml",
    ]);
  });

  it("leave the environment alone if it is complete, and never show a value", () => {
    const commands = typed({ env: { DESK_KEY: "0xsecret" } });
    expect(commands[0]).toBe("marketwright check bot.yaml --connect");
    expect(commands.join()).not.toContain("0xsecret");
  });

  it("start the program by node where npx would keep a signal from it", () => {
    const [check = ""] = typed({ variables: [], script: "/desk/node_modules/.bin/marketwright" });
    expect(check).toMatch(/^node \S*bin\/marketwright\.js check bot\.yaml --connect$/);
  });

  it("quote names for the shell", () => {
    expect(typed({ variables: [], file: "it's mine.yaml" }).at(-1)).toBe(
      "marketwright run 'it'\\''s mine.yaml'",
    );
  });
});
