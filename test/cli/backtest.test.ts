import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateHistory } from "../support/generated-history.js";
import { captureCli, startCli } from "./captured-cli.js";

const FROM_MS = Date.UTC(2026, 0, 5, 12);

let folder: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "cli-backtest-")));
  await generateHistory(folder, { market: "btcusdc", fromMs: FROM_MS, seconds: 12 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The backtest's file, beside a bot's of so much allowed drawdown. */
function file(maxDrawdownQuote: number, more = "", terms = ""): string {
  const bot = `exchange: { rest: http://127.0.0.1:8620/v1, stream: ws://127.0.0.1:8620/v1 }
account: { keyEnv: KEY }
quotes: { timeInForce: POST_ONLY }
decide: { everyMs: 200 }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 0.03, sizeBase: 0.05 }, limits: { maxPositionBase: 0.2, maxOrderBase: 0.05 } }
risk: { maxDrawdownQuote: ${maxDrawdownQuote} }
`;
  writeFileSync(join(folder, "bot.yaml"), bot);
  const market = `btcusdc: { tickSizeQuote: 0.1, stepSizeBase: 0.001, makerFeeRate: 0.0001, takerFeeRate: 0.0005${terms} }`;
  const path = join(folder, "run.yaml");
  writeFileSync(
    path,
    `history: { market: btcusdc, from: 2026-01-05, to: 2026-01-06 }\nbot: bot.yaml\nrules: { markets: { ${market} } }\n${more}\n`,
  );
  return path;
}

const out = (name: string): string => join(folder, name);
const reportOf = (name: string) => JSON.parse(readFileSync(join(out(name), "report.json"), "utf8"));

describe("marketwright backtest", () => {
  it("says what a run came to, in the asset that it is settled in, and where its report lies", async () => {
    const { code, out: told } = await captureCli(["backtest", file(5000), "--out", out("plain")]);
    expect(code).toBe(0);
    expect(told).toMatch(
      /^(AMBIGUOUS: .*\n)?run: 2026-01-05T12:00:00\.000000Z to .*, books\nprofit -?[\d.]+ USDC: spread /,
    );
    expect(told).toContain(join(out("plain"), "report.html"));
    expect(reportOf("plain").ended).toBe("end-of-history");
  });

  it.each([
    [
      "sizeBase: 0.05",
      "sizeBase: 0.0305",
      "",
      /markets\.btcusdc\.params\.sizeBase.*0\.03 or 0\.031/s,
    ],
    [
      "maxPositionBase: 0.2",
      "maxPositionBase: 0.2005",
      "",
      /markets\.btcusdc\.limits\.maxPositionBase.*0\.2 or 0\.201/s,
    ],
    [
      "sizeBase: 0.05",
      "sizeBase: 0.02",
      ", minAmountBase: 0.03",
      /markets\.btcusdc\.params\.sizeBase.*below the smallest order.*from 0\.03/s,
    ],
  ])(
    "refuses %s as %s%s by its path, as a live bot is: a run of other sizes than the file's proves nothing of it",
    async (from, to, terms, told) => {
      const path = file(5000, "", terms);
      writeFileSync(
        join(folder, "bot.yaml"),
        readFileSync(join(folder, "bot.yaml"), "utf8").replace(from, to),
      );
      const { code, err } = await captureCli(["backtest", path, "--out", out("off-grid")]);
      expect(code).toBe(2);
      expect(err).toMatch(told);
    },
  );

  it("says first that a run was halted, since when and why: its profit is not that of the whole span", async () => {
    const { code, out: told } = await captureCli(["backtest", file(0.5), "--out", out("halted")]);
    expect(code).toBe(0);
    expect(told).toMatch(/^HALTED: since 2026-01-05T12:00:\S+Z by drawdown: net value /);
    const { ended, reason } = reportOf("halted");
    expect([ended, told.startsWith(`HALTED: ${reason}\n`)]).toEqual(["halted", true]);
    expect(readFileSync(join(out("halted"), "report.html"), "utf8")).toContain(
      `The run halted before the end of its history: ${reason}`,
    );
  });

  it("says first that an account was liquidated", async () => {
    const path = file(5000, "account: { creditQuote: 40 }", ", maxLeverage: 1000");
    const { out: told } = await captureCli(["backtest", path, "--out", out("liquidated")]);
    expect(told).toMatch(/^LIQUIDATED: the account's equity fell below its maintenance margin\n/);
    const { ended, profit } = reportOf("liquidated");
    expect([ended, Number(profit.liquidation) < 0]).toEqual(["liquidated", true]);
    expect(readFileSync(join(out("liquidated"), "report.html"), "utf8")).toContain(
      "The run was liquidated before the end of its history",
    );
  });

  // A small profit may depend on a position that is still to be closed: the reader must know.
  it("says what is still held at the end, and that closing it was not paid for", async () => {
    const { out: told } = await captureCli(["backtest", file(5000), "--out", out("held")]);
    const [{ position }] = reportOf("held").markets;
    expect(Number(position.last)).not.toBe(0);
    expect(told).toContain(
      `\nin btcusdc ${position.last} base units are held at the end: they count at the mark price, without the cost of closing them\n`,
    );
  });

  it("says how many of a market's fills are doubtful, of what amount, and what hangs on them", async () => {
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(join(folder, "bot.yaml"), bot.replace("POST_ONLY", "GTC"));
    const { out: told } = await captureCli(["backtest", path, "--out", out("doubtful")]);
    const [{ fills }] = reportOf("doubtful").markets;
    const { fills: count, amount, fees, feesOtherwise } = fills.doubtful.asTakers;
    expect(count).toBeGreaterThan(0);
    const other = feesOtherwise.startsWith("-")
      ? `earned ${feesOtherwise.slice(1)} in rebates`
      : `paid ${feesOtherwise} in fees`;
    expect(told).toContain(
      `\nin btcusdc ${count} of its fills, ${amount} base units, may have been taker or maker fills and are charged as taker fills: they paid ${fees} in fees, and would have ${other} under the other rule\n`,
    );
  });

  it("says of how many orders its fills are: a strategy whose sizes round to nothing looked like one to which the market never came", async () => {
    const path = file(5000);
    const line = ({
      fills,
      orders,
    }: {
      readonly fills: { readonly all: { readonly fills: number } };
      readonly orders: { readonly placed: number };
    }) => `\n${fills.all.fills} fills of ${orders.placed} orders, for `;
    const { out: quoting } = await captureCli(["backtest", path, "--out", out("quoting")]);
    expect(quoting).toContain(line(reportOf("quoting")));
    const silent = `import { NEVER } from "rxjs";
import { defineStrategy } from "marketwright";
import { z } from "zod";
export default defineStrategy({ params: z.object({}), create: () => () => NEVER });
`;
    writeFileSync(join(folder, "silent.mjs"), silent);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./silent.mjs"),
    );
    const { code, out: told } = await captureCli(["backtest", path, "--out", out("silent")]);
    expect(told).toContain("\n0 fills of 0 orders, for 0 USDC");
    expect(code).toBe(0);
    expect(told).toMatch(
      /^WORTHLESS: btcusdc: no order was ever sent: its strategy was called \d+ times and never returned an intent\n/,
    );
    const { worthless, strategyErrors } = reportOf("silent");
    expect([worthless.length, strategyErrors]).toEqual([1, []]);
    expect(readFileSync(join(out("silent"), "report.html"), "utf8")).toContain(
      `This run is worthless: ${worthless[0]}.`,
    );
    const asJson = await captureCli(["backtest", path, "--out", out("silent-json"), "--json"]);
    expect([asJson.code, JSON.parse(asJson.out).worthless]).toEqual([0, worthless]);
    expect(asJson.err).toContain(`WORTHLESS: ${worthless[0]}`);
  });

  it("says what was asked for and not done, by whom and why: a strategy that nobody obeys earns nothing", async () => {
    const quoteless = `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(map((view) => ({ kind: "quotes", marketId: view.marketId, viewSequence: view.sequence, quotes: [{ side: "BUY", level: 0, ticks: 1, lots: -1 }], reason: { terms: {}, clamps: [] } }))),
});
`;
    writeFileSync(join(folder, "quoteless.mjs"), quoteless);
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./quoteless.mjs"),
    );
    const { out: told } = await captureCli(["backtest", path, "--out", out("refused")]);
    const { refused, fills, worthless } = reportOf("refused");
    expect(told).toMatch(
      /^WORTHLESS: btcusdc: no order was ever sent: the bot refused all \d+ intents of its strategy \(\d+ x /,
    );
    expect(worthless).toHaveLength(1);
    expect([fills.all.fills, refused.length]).toEqual([0, 1]);
    const [{ by, reason, count, why, firstAt }] = refused;
    expect([by, count > 3, firstAt.slice(0, 17)]).toEqual(["bot", true, "2026-01-05T12:00:"]);
    expect(told).toContain(`\nthe bot refused ${count} intents in btcusdc, ${reason}: ${why}\n`);
    expect(readFileSync(join(out("refused"), "report.html"), "utf8")).toContain(
      "intents of btcusdc's strategy",
    );
  });

  it("ends with 1 where the strategy failed, with the report in place and the failure in it", async () => {
    const failing = `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({ params: z.object({}), create: () => (view$) => view$.pipe(map(() => { throw new Error("no such parameter"); })) });
`;
    writeFileSync(join(folder, "failing.mjs"), failing);
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./failing.mjs"),
    );
    const { code, out: told } = await captureCli(["backtest", path, "--out", out("failing")]);
    const { ended, strategyErrors, worthless } = reportOf("failing");
    expect([code, ended]).toEqual([1, "halted"]);
    expect(strategyErrors).toEqual([
      {
        marketId: "btcusdc",
        at: expect.stringMatching(/^2026-01-05T12:00:/),
        why: "strategy failed: no such parameter",
      },
    ]);
    expect(worthless).toEqual([
      "btcusdc: no order was ever sent: strategy failed: no such parameter",
    ]);
    expect(told).toMatch(
      /\nFAILED: the strategy of btcusdc at \S+: strategy failed: no such parameter\nHALTED: since/,
    );
  });

  // It had made its decisions before it failed, none of which a cut changed: the check called the
  // strategy sound.
  it("ends with 1 where the strategy failed in a check for look-ahead alone, and names the failure first", async () => {
    const failing = `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(
      map((view, n) => {
        if (n > 20) throw new Error("no such level");
        return { kind: "quotes", marketId: view.marketId, viewSequence: view.sequence, quotes: [], reason: { fairTicks: n, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] } };
      }),
    ),
});
`;
    writeFileSync(join(folder, "late.mjs"), failing);
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./late.mjs"),
    );
    const { code, out: told } = await captureCli(["backtest", path, "--check-look-ahead", "2"]);
    expect(code).toBe(1);
    expect(told).toMatch(
      /^WORTHLESS: .*\nFAILED: the strategy of btcusdc at \S+: strategy failed: no such level\n/,
    );
    expect(told).toContain("no decision used history from after it");
    const asJson = await captureCli(["backtest", path, "--check-look-ahead", "2", "--json"]);
    expect([asJson.code, JSON.parse(asJson.out).strategyErrors]).toEqual([
      1,
      [
        {
          marketId: "btcusdc",
          at: expect.stringMatching(/^2026-01-05T12:00:/),
          why: "strategy failed: no such level",
        },
      ],
    ]);
    expect(asJson.err).toContain("FAILED: the strategy of btcusdc at ");
  });

  it("shows each decision that a cut of the history changed, with both instants to the microsecond, and ends with 1", async () => {
    const forgetful = `import { defineStrategy } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";
let views = 0;
export default defineStrategy({
  params: z.object({}),
  create: () => (view$) =>
    view$.pipe(map((view) => ({ kind: "quotes", marketId: view.marketId, viewSequence: view.sequence, quotes: [], reason: { fairTicks: views++, reservationTicks: 1, halfSpreadTicks: 1, terms: {}, clamps: [] } }))),
});
`;
    writeFileSync(join(folder, "forgetful.mjs"), forgetful);
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    const plain = await captureCli(["backtest", path, "--check-look-ahead", "2"]);
    expect([plain.code, plain.out.replace(/\d+ decisions/, "N decisions")]).toEqual([
      0,
      "2 cuts in N decisions: no decision used history from after it\n",
    ]);
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./forgetful.mjs"),
    );
    const { code, out: told } = await captureCli(["backtest", path, "--check-look-ahead", "2"]);
    expect(code).toBe(1);
    const instant = String.raw`2026-01-05T12:00:\d\d\.\d{6}Z`;
    expect(
      told.match(new RegExp(`^cut after ${instant}: the decision of ${instant} was$`, "gm")),
    ).toHaveLength(2);
  });

  it("proves nothing by a check that was interrupted, or that had no decision to look at, and ends with 1", async () => {
    const run = startCli(["backtest", file(5000), "--check-look-ahead", "50"]);
    run.interrupt();
    const { code, out: told, err } = await run.done;
    expect([code, told]).toEqual([1, ""]);
    expect(err).toContain("interrupted and has no result");
    const silent = `import { defineStrategy } from "marketwright";
import { NEVER } from "rxjs";
import { z } from "zod";
export default defineStrategy({ params: z.object({}), create: () => () => NEVER });
`;
    writeFileSync(join(folder, "silent.mjs"), silent);
    const path = file(5000);
    const bot = readFileSync(join(folder, "bot.yaml"), "utf8");
    writeFileSync(
      join(folder, "bot.yaml"),
      bot.replace(/strategy: ladder, params: {.*?}/, "strategy: ./silent.mjs"),
    );
    const undecided = await captureCli(["backtest", path, "--check-look-ahead", "2"]);
    expect(undecided.code).toBe(1);
    expect(undecided.out).toMatch(
      /^WORTHLESS: btcusdc: no order was ever sent: its strategy was called \d+ times and never returned an intent\n0 cuts in 0 decisions: nothing was checked\n$/,
    );
  });

  it("names what is wrong in the file by its place, with what would be right, and writes nothing", async () => {
    const wrong = await captureCli([
      "backtest",
      file(5000, "fills: { queue: fifo }"),
      "--out",
      out("none"),
    ]);
    expect([wrong.code, wrong.out]).toEqual([2, ""]);
    expect(wrong.err).toMatch(/fills\.queue: .*"fifo".*expected risk-averse/);
    expect(() => reportOf("none")).toThrow(/ENOENT/);
  });
});
