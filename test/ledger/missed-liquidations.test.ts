import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decimalToScaled } from "#core/instrument.js";
import type { LedgerPeriod } from "#ledger/account-ledger.js";
import { csvLines } from "#ledger/csv-lines.js";
import { liquidationLines } from "#ledger/liquidation-lines.js";
import { queryLedger } from "#ledger/query-ledger.js";
import { summariseMissed } from "#ledger/summarise-missed.js";
import { decodeLedger } from "#liquidator/ledger-lines.js";
import { captureCli, startCli } from "../cli/captured-cli.js";
import { LiquidationExchange } from "../cli/liquidation-exchange.js";
import { until } from "../cli/until.js";

const ALWAYS = { fromMs: undefined, toMs: undefined };
const common = {
  victim: "0xaa",
  perp: "0xbb",
  marketId: "btcusdc",
  confirmedBlock: 5,
};

/** Lines as a liquidator of an earlier version wrote them, without what it would have earned. */
const OLD_LINES = [
  { ...common, id: "a", outcome: "unprofitable", atMs: { seen: 1 }, shortOfQuote: "5n" },
  { ...common, id: "b", outcome: "cured", atMs: { seen: 2 } },
  {
    ...common,
    id: "c",
    outcome: "lost",
    atMs: { seen: 3 },
    intended: {
      jobId: "1",
      requestPaper: "1n",
      expectCredit: "1n",
      expectedProfitQuote: "9000000n",
      worstProfitQuote: "1n",
      maxCostWei: "1n",
    },
    tipWei: "1000n",
    lostTo: { winner: "0xcc", blockNumber: 9, blocksBefore: 0, tipWei: "3000n" },
  },
]
  .map((line) => JSON.stringify(line))
  .join("\n");

describe("what was not won", () => {
  it("is read from files of earlier versions, which lack some of it", () => {
    const { missed, stages } = summariseMissed(decodeLedger(OLD_LINES), ALWAYS);
    expect(missed.map(({ id, stage, profitQuote }) => [id, stage, profitQuote])).toEqual([
      ["a", "unprofitable", undefined],
      ["b", "cured", undefined],
      ["c", "outbid", 9_000_000n],
    ]);
    expect(missed[2]).toMatchObject({ winningTipWei: 3001n, profitAtWinningTipQuote: undefined });
    expect(stages[0]).toMatchObject({ stage: "outbid", count: 1, missedQuote: 9_000_000n });
  });

  it("says at which tip ours would have won, and what would have been left of the profit", () => {
    const line = OLD_LINES.split("\n")[2] ?? "";
    const priced = line
      .replace('"tipWei":"1000n"', '"tipWei":"1000000000n","creditPerEth":"3000000000n"')
      .replace('"tipWei":"3000n"', '"tipWei":"2000000000n"');
    const { missed, stages } = summariseMissed(decodeLedger(priced), ALWAYS);
    // One gwei more on 260,000 gas, at 3,000 dollars an ether.
    expect(missed[0]?.profitAtWinningTipQuote).toBe(9_000_000n - 780_001n);
    expect(stages[0]).toMatchObject({ winnable: 1, winnableQuote: 9_000_000n - 780_001n });
  });

  it("leaves out what was first seen outside the period", () => {
    const { missed } = summariseMissed(decodeLedger(OLD_LINES), { fromMs: 2, toMs: 3 });
    expect(missed.map(({ id }) => id)).toEqual(["b"]);
  });
});

describe("the table of liquidations", () => {
  const WON = JSON.stringify({
    ...common,
    id: "w",
    outcome: "won",
    atMs: { seen: 4 },
    tipWei: "2000000000n",
    profitQuote: "7500000n",
    reason: '=1+1, "quoted"',
  });
  const ask = (sql: string, period: LedgerPeriod = ALWAYS) =>
    queryLedger(
      {
        entries: csvLines([], 18),
        liquidations: liquidationLines(decodeLedger(`${OLD_LINES}\n${WON}\n`), period),
      },
      sql,
    );

  it("answers what was won, what was lost, at which stage, and what it would have earned", async () => {
    const { rows } = await ask(
      "SELECT outcome, stage, count(*)::INT, sum(would_earn)::DECIMAL(18,2), sum(earned)::DECIMAL(18,2), max(tip_gwei)::DECIMAL(18,1) FROM liquidations GROUP BY ALL ORDER BY outcome",
    );
    expect(rows).toEqual([
      ["cured", "cured", 1, null, null, null],
      ["lost", "outbid", 1, "9.00", null, "0.0"],
      ["unprofitable", "unprofitable", 1, null, null, null],
      ["won", null, 1, null, "7.50", "2.0"],
    ]);
  });

  it("has those of the period alone, and never a text that a spreadsheet runs", async () => {
    const { rows } = await ask("SELECT id, reason FROM liquidations", {
      fromMs: 4,
      toMs: undefined,
    });
    expect(rows).toEqual([["w", `'=1+1, "quoted"`]]);
  });
});

describe("a liquidator on a real chain", () => {
  let world: LiquidationExchange;
  beforeAll(async () => {
    world = await LiquidationExchange.start();
  });
  afterAll(() => world.close());

  const filesOf = (own: string, address: string, name: string): string => {
    try {
      return readFileSync(join(own, ".marketwright", address.toLowerCase(), name), "utf8");
    } catch {
      return "";
    }
  };

  it("keeps what a takeover would have earned that its limits forbade, and books one that it made to the unit", async () => {
    const limited = world.bot({
      liquidator: "{ minProfitQuote: 1, watchFromBlock: 0, maxNotionalQuote: 2 }",
    });
    const taking = world.bot({
      liquidator:
        "{ minProfitQuote: 1, watchFromBlock: 0, unwind: { makerFirstMs: 0, horizonMs: 3000, slices: 1 } }",
    });
    for (const { key } of [limited, taking]) await world.registers(key);
    const skips = startCli(["run", limited.file, "--json"], limited.env);
    await world.mark(58_000);
    const seen = await until(
      () => decodeLedger(filesOf(limited.own, limited.address, "liquidations.jsonl")),
      (all) => all.some(({ atMs }) => atMs.confirmed !== undefined),
    );
    expect(seen[0]?.marketId).toBe("btcusdc");
    const takes = startCli(["run", taking.file, "--json"], taking.env);
    await until(
      () => decodeLedger(filesOf(taking.own, taking.address, "liquidations.jsonl")),
      (all) => all.some(({ unwound }) => unwound !== undefined && unwound.state !== "open"),
    );
    await until(
      () => decodeLedger(filesOf(limited.own, limited.address, "liquidations.jsonl")),
      (all) => all.some(({ outcome }) => outcome !== "open"),
    );
    for (const run of [skips, takes]) run.interrupt();
    await Promise.all([skips.done, takes.done]);

    const list = await captureCli(["ledger", "liquidations", limited.file, "--json"], limited.env);
    expect(list.code, list.err).toBe(0);
    const { missed, stages } = JSON.parse(list.out);
    expect(missed[0]).toMatchObject({ stage: "account-notional", outcome: "lost" });
    expect(Number(missed[0].profitQuote)).toBeGreaterThan(100);
    const { discountQuote, takerFeeQuote, slippageQuote, gasQuote } = missed[0].parts;
    expect(decimalToScaled(missed[0].profitQuote, 6)).toBe(
      decimalToScaled(discountQuote, 6) -
        decimalToScaled(takerFeeQuote, 6) -
        decimalToScaled(slippageQuote, 6) -
        decimalToScaled(gasQuote, 6),
    );
    expect(stages[0]).toMatchObject({ stage: "account-notional", count: 1 });
    const text = await captureCli(["ledger", limited.file, "liquidations"], limited.env);
    expect(text.out).toContain("account-notional");

    const books = await captureCli(["ledger", "export", taking.file], taking.env);
    expect(books.code, books.err).toBe(0);
    expect(books.err).toContain("agree to the unit");
    const rows = books.out.split("\n").map((line) => line.split(","));
    const takeover = rows.find(([, kind]) => kind === "takeover");
    expect(takeover?.[11], "the transaction").toMatch(/^0x[0-9a-f]{64}$/);
    expect(takeover?.[13]).toBe("both");
    const gas = rows.find(([, kind]) => kind === "gas");
    expect([gas?.[4], Number(gas?.[5]) < 0]).toEqual(["ETH", true]);
  });
});
