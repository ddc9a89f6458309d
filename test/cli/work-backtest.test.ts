import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateHistory } from "../support/generated-history.js";
import { captureCli } from "./captured-cli.js";

const FROM_MS = Date.UTC(2026, 0, 5, 12);
/** How late the bot receives the records of the generated history. */
const [BOOK_LATE_MS, TRADE_LATE_MS] = [2, 3];

const folder = mkdtempSync(join(tmpdir(), "marketwright-work-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  await generateHistory(folder, { market: "btcusdc", fromMs: FROM_MS, seconds: 90, klines: true });
  writeFileSync(
    join(folder, "bot.yaml"),
    `exchange: { rest: http://127.0.0.1:1/v1, stream: ws://127.0.0.1:1/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 2, maxOrderBase: 1 } }
risk: { maxDrawdownQuote: 5000 }
`,
  );
  const backtest = (name: string, more: string): void =>
    writeFileSync(
      join(folder, `${name}.yaml`),
      `history: { market: btcusdc, ${more} }
bot: bot.yaml
rules: { markets: { btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: -0.0001, takerFeeRate: 0.0005 } } }
`,
    );
  backtest("books", "grade: books");
  backtest("candles", "grade: klines");
});

const work = (file: string, ...args: readonly string[]) =>
  captureCli(["work", join(folder, `${file}.yaml`), ...args]);

interface BookRecord {
  readonly timestamp: number;
  readonly bids: readonly (readonly [string, string])[];
  readonly asks: readonly (readonly [string, string])[];
}

interface TradeRecord {
  readonly time: number;
  readonly price: string;
  readonly amount: string;
}

function records<T>(name: string): readonly T[] {
  const text = readFileSync(join(folder, "generated", `btcusdc-${name}.ndjson`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The mids as the bot receives them: every record has the five best levels of both sides. */
function mids(): readonly { readonly atMs: number; readonly mid: number }[] {
  return records<BookRecord>("books").map(({ timestamp, bids, asks }) => {
    const best = (levels: BookRecord["bids"], pick: (...prices: number[]) => number) =>
      pick(...levels.filter(([, amount]) => Number(amount) > 0).map(([price]) => Number(price)));
    return {
      atMs: timestamp + BOOK_LATE_MS,
      mid: (best(bids, Math.max) + best(asks, Math.min)) / 2,
    };
  });
}

interface Fill {
  readonly side: string;
  readonly role: string;
  readonly price: number;
  readonly amount: number;
  readonly quote: number;
  readonly fee: number;
}

function fillsOf(out: string): readonly Fill[] {
  const [head = "", ...lines] = readFileSync(join(out, "fills.csv"), "utf8").trim().split("\n");
  const columns = head.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? "";
    const number = (name: string): number => Number(cell(name));
    return {
      side: cell("side"),
      role: cell("role"),
      price: number("price"),
      amount: number("amount"),
      quote: number("quote"),
      fee: number("fee"),
    };
  });
}

const sumOf = <T>(list: readonly T[], value: (one: T) => number): number =>
  list.reduce((sum, one) => sum + value(one), 0);

describe("work on a backtest's file", () => {
  it.each([
    ["twap", "1.2"],
    ["twap", "-1.2"],
    ["pov", "0.3"],
    ["pov", "-0.3"],
    ["almgren-chriss", "1.2"],
    ["almgren-chriss", "-1.2"],
  ])(
    "reaches %s %s, and its costs are those of its fills against the recorded market",
    async (style, target) => {
      const out = join(folder, `${style}${target}`);
      const args = ["--target", target, "--by", "60s", "--style", style, "--out", out, "--json"];
      const run = await work("books", ...args, "--volatility-bps", "2", "--participation", "0.2");
      expect(run).toMatchObject({ code: 0 });
      const summary = JSON.parse(run.out);
      expect(JSON.parse(readFileSync(join(out, "work.json"), "utf8"))).toEqual(summary);

      const fills = fillsOf(out);
      const size = Math.abs(Number(target));
      const sign = Math.sign(Number(target));
      expect(new Set(fills.map(({ side }) => side))).toEqual(new Set([sign > 0 ? "BUY" : "SELL"]));
      const amount = sumOf(fills, (fill) => fill.amount);
      expect(amount, "the fills are the change of the position").toBeCloseTo(size, 9);
      expect(summary).toMatchObject({
        isReached: true,
        startBase: "0",
        endBase: target,
        leftBase: "0",
        filledBase: String(size),
        fills: fills.length,
      });
      for (const { price } of fills)
        expect(sign * (Number(summary.worstPriceQuote) - price)).toBeGreaterThanOrEqual(0);

      const quote = sumOf(fills, (fill) => fill.quote);
      expect(Number(summary.averagePriceQuote)).toBeCloseTo(quote / amount, 2);
      expect(Number(summary.feesQuote)).toBeCloseTo(
        sumOf(fills, ({ fee }) => fee),
        6,
      );
      const asMaker = sumOf(fills, (fill) => (fill.role === "maker" ? fill.amount : 0));
      expect(summary.makerShare).toBeCloseTo(asMaker / amount, 9);

      const [startMs, endMs] = [summary.startedAtMs, summary.endedAtMs];
      const seen = mids();
      const at = (ms: number) => seen.findLast(({ atMs }) => atMs <= ms)?.mid ?? Number.NaN;
      const changes = [startMs, ...seen.map(({ atMs }) => atMs), endMs].filter(
        (ms) => ms >= startMs && ms <= endMs,
      );
      let weighted = 0;
      for (let one = 1; one < changes.length; one++)
        weighted += (changes[one] - changes[one - 1]) * at(changes[one - 1]);
      const trades = records<TradeRecord>("trades").filter(
        ({ time }) => time + TRADE_LATE_MS >= startMs && time + TRADE_LATE_MS < endMs,
      );
      const volume = sumOf(trades, (trade) => Number(trade.amount));
      const benchmarks = {
        arrival: at(startMs),
        twap: weighted / (endMs - startMs),
        vwap: sumOf(trades, (trade) => Number(trade.amount) * Number(trade.price)) / volume,
      };
      for (const [name, price] of Object.entries(benchmarks)) {
        const cost = sign * (quote - price * amount);
        expect(Number(summary[name].priceQuote), name).toBeCloseTo(price, 1);
        expect(Number(summary[name].costQuote), name).toBeCloseTo(cost, 1);
        expect(summary[name].costBps, name).toBeCloseTo((cost / (price * amount)) * 1e4, 1);
      }
      if (style === "pov") expect(amount).toBeLessThanOrEqual(0.2 * volume + 0.2 * 0.03);
    },
  );

  it("is the same on every run", async () => {
    const args = ["--target", "0.5", "--by", "30s", "--json"];
    const first = await work("books", ...args);
    expect(first).toMatchObject({ code: 0 });
    expect(await work("books", ...args)).toEqual(first);
  });

  it("takes what is due, and only offers with --taker never", async () => {
    // Slices of a millisecond: all is due nearly at once.
    const args = ["--target", "0.4", "--by", "12s", "--slices", "1000", "--json"];
    const of = async (taker: string) => {
      const { code, out } = await work("books", ...args, "--taker", taker);
      return { code, ...JSON.parse(out) };
    };
    const [patient, punctual] = [await of("never"), await of("behind")];
    expect(patient).toMatchObject({ code: 0, isReached: true, makerShare: 1 });
    expect(punctual).toMatchObject({ code: 0, isReached: true });
    expect(punctual.makerShare).toBeLessThan(1);
  });

  it("trades nothing beyond a limit price that the market does not reach", async () => {
    const args = ["--target", "0.5", "--by", "30s", "--limit-price", "50000", "--json"];
    const { code, out } = await work("books", ...args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ fills: 0, arrival: null, leftBase: "0.5" });
  });

  it("says in words what it cost", async () => {
    const { out } = await work("books", "--target", "0.5", "--by", "30s");
    expect(out).toMatch(
      /^work {6}btcusdc: bought 0\.5 base in [\d.]+ s; the target is reached\nposition {2}0 to 0\.5, target 0\.5\nprice {5}\d+\.\d+ on average in \d+ fills?, \d+ % as maker, fees .* bps\)\ncost .* against arrival mid .*\ncost .* against TWAP .*\ncost .* against VWAP .*\n$/,
    );
  });

  it.each([
    [["--target", "abc", "--by", "30s"], "books", "--target"],
    [["--target", "0.5", "--by", "soon"], "books", "--by"],
    [["--target", "0.5", "--by", "2h"], "books", "--by"],
    [["--target", "0.5", "--by", "2026-01-05T11:00:00Z"], "books", "--by"],
    [["--target", "5", "--by", "30s"], "books", "--target"],
    [["--target", "0.0005", "--by", "30s"], "books", "targetBase"],
    [["--target", "0.5", "--by", "30s", "--market", "ethusdc"], "books", "--market"],
    [["--target", "0.5", "--by", "30s", "--style", "vwap"], "books", "--style"],
    [["--target", "0.5", "--by", "30s", "--journal", "x"], "books", "--journal"],
    [["--target", "0.5", "--by", "30s"], "candles", "history.market"],
  ])("refuses %j on %s, and names what is wrong", async (args, file, field) => {
    expect(await work(file, ...args)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining(field),
    });
  });
});
