import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "#core/seeded-random.js";
import { CapturedPrice } from "../../scripts/reference-value/captured-price.js";
import { estimateVarianceRatio } from "../../scripts/reference-value/estimates.js";
import { renderHedges } from "../../scripts/reference-value/hedge-tables.js";
import { type LegFill, toNetFigures } from "../../scripts/reference-value/net-figures.js";
import { type Arm, HEDGE_ARMS } from "../../scripts/reference-value/value-arms.js";
import type { ValueAnswer } from "../../scripts/reference-value/value-pool.js";
import {
  MARKETS,
  type Market,
  runValue,
  type ValueRun,
} from "../../scripts/reference-value/value-run.js";

const RUN_MS = 15_000;
const LATE = MARKETS[2] as Market;
const [BARE, HEDGED] = HEDGE_ARMS as [Arm, Arm];

let folder: string;
let price: CapturedPrice;

/** A price that moves by a tick or a few, ten times a second, in the form of a recording. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hedge-value-"));
  mkdirSync(join(folder, "bbo"));
  const random = seededRandom("walk");
  let bid = 60_000;
  const lines = Array.from({ length: 600 }, (_, at) => {
    bid += Math.round((random.uniform() - 0.5) * 60) / 10;
    return `${at},${at},${1_000 + at * 100},0,${bid.toFixed(1)},5,${(bid + 0.1).toFixed(1)},5`;
  });
  const text = ["line,updateId,time,recvTimeNs,bid,bidAmount,ask,askAmount", ...lines].join("\n");
  writeFileSync(join(folder, "bbo", "walk.csv.gz"), gzipSync(`${text}\n`));
  price = await CapturedPrice.read(folder, "walk");
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (arm: Arm, seed: number) => runValue({ arm, seed, market: LATE, price, runMs: RUN_MS });

const fill = (timeMs: number, sign: number, at: number, fee: number, orderId: string): LegFill => ({
  timeMs,
  sign,
  base: 0.02,
  price: at,
  fee,
  orderId,
});

describe("the experiment of hedges", () => {
  it.each([1, 2])(
    "gives the same figures twice, or a hedge is judged by chance: seed %d",
    async (seed) => {
      const once = await run(HEDGED, seed);
      expect(once.hedges).toBeGreaterThan(0);
      expect(await run(HEDGED, seed)).toEqual(once);
    },
  );

  it("lays off what the bot without a hedge holds", async () => {
    const [bare, hedged] = [await run(BARE, 1), await run(HEDGED, 1)];
    expect(bare.hedges).toBe(0);
    expect(bare.netMeanBase).toBeGreaterThan(0.005);
    expect(hedged.netMeanBase).toBeLessThan(0.0005);
    expect(hedged.netLargestBase).toBeLessThanOrEqual(0.04);
    expect(hedged.hedgeFees / hedged.volumeQuote).toBeCloseTo(5 / 10_000, 6);
  });

  it("counts the fees and prices of both legs in the profit, and the time without a hedge", () => {
    const mid = price.midAt(10_000);
    const figures = toNetFigures(
      [fill(101_000, 1, mid - 20, -0.1, "1")],
      [fill(102_000, -1, mid - 5, 0.5, "7")],
      price,
      100_000,
      10_000,
    );
    expect(figures.netProfit).toBeCloseTo(0.02 * 15 + 0.1 - 0.5, 9);
    expect(figures.netLargestBase).toBe(0.02);
    expect(figures.netMeanBase).toBeCloseTo(0.002, 12);
    expect(figures.hedges).toBe(1);
    expect(figures.hedgeFees).toBe(0.5);
    const atFill = 0.02 * (price.midAt(1_000) - mid + 20) + 0.1;
    expect(figures.drawdown).toBeGreaterThanOrEqual(atFill - figures.netProfit - 1e-9);
  });

  it("has in its table what follows from the runs", () => {
    const profits = [
      [1, 5, 9],
      [2, 3, 4],
    ];
    const answers = HEDGE_ARMS.flatMap((arm, column) =>
      [1, 2, 3].map((seed, at): ValueAnswer => {
        const netProfit = (profits[column] ?? [0, 1, 2])[at] as number;
        const figures = { ...NOTHING, netProfit, drawdown: seed };
        return { job: { arm, seed, market: LATE }, run: figures };
      }),
    );
    const rows = renderHedges([...answers].reverse(), LATE.name).split("\n");
    const cells = (name: string) =>
      rows
        .find((row) => row.startsWith(`| ${name} |`))
        ?.split(" | ")
        .slice(1, 3);
    // Student's t of two degrees of freedom times the standard deviation over the root of three.
    expect(cells("profit of both legs")).toEqual(["5.00 ± 9.94", "3.00 ± 2.48"]);
    expect(cells("less that of no hedge")).toEqual(["", "-2.00 ± 7.45"]);
    expect(cells("standard deviation")).toEqual(["4.00", "1.00"]);
    expect(cells("variance over that of no hedge")?.[1]).toMatch(/^0\.06 \(0\.0\d to \d/);
    expect(cells("worst drawdown of a seed")).toEqual(["3.00", "3.00"]);
  });

  it("gives an interval of a ratio of variances that holds the ratio, and keeps the pairs", () => {
    const base = Array.from({ length: 50 }, (_, at) => Math.sin(at) * 3);
    const half = base.map((value) => value / 2);
    expect(estimateVarianceRatio(half, base).to).toBeCloseTo(0.25, 12);
    const other = base.map((_, at) => Math.cos(at * 7));
    const { ratio, from, to } = estimateVarianceRatio(other, base);
    expect(from).toBeLessThan(ratio);
    expect(to).toBeGreaterThan(ratio);
  });
});

const NOTHING: ValueRun = {
  profit: 0,
  spread: 0,
  inventory: 0,
  fees: 0,
  other: 0,
  markout1s: 0,
  markout10s: 0,
  fills: 0,
  volumeQuote: 0,
  largestBase: 0,
  netProfit: 0,
  drawdown: 0,
  netLargestBase: 0,
  netMeanBase: 0,
  hedges: 0,
  hedgeFees: 0,
};
