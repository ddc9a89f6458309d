import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captureCli } from "./captured-cli.js";
import { LiquidationExchange, WATCH } from "./liquidation-exchange.js";

const COIN = 10n ** 18n;
let world: LiquidationExchange;
beforeAll(async () => {
  world = await LiquidationExchange.start();
});
afterAll(() => world.close());

async function drilled(file: string, env: Record<string, string>, ...options: readonly string[]) {
  const { code, out, err } = await captureCli(["drill", file, "--json", ...options], env);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out);
}

describe("marketwright drill", () => {
  it("moves the price until each account breaks, takes it over on a copy, and sends nothing to the chain", async () => {
    const { file, env, key, address } = world.bot({ liquidator: WATCH });
    await world.registers(key);
    const { chain } = world.chain;
    const head = chain.head.number;
    const { blockNumber, accounts } = await drilled(file, env, "--most", "2");
    expect(blockNumber).toBe(head);
    // Nearest to its edge first.
    expect(accounts.map((row: { account: string }) => row.account)).toEqual(
      [...world.victims].reverse().map((one) => one.address.toLowerCase()),
    );
    for (const row of accounts) {
      expect(Object.keys(row)).toEqual([
        "account",
        "marketId",
        "breaksAtQuote",
        "movedBps",
        "outcome",
        "detail",
        "requestBase",
        "expectedProfitQuote",
        "earnedQuote",
        "gasUsed",
      ]);
      expect(row).toMatchObject({ marketId: "btcusdc", outcome: "won", detail: "" });
      expect(row.movedBps).toBeLessThan(0);
      expect(Number(row.earnedQuote)).toBeGreaterThan(1);
      expect(row.gasUsed).toBeGreaterThan(100_000);
    }
    // 100,000 less what was paid above the mark and in fees, at 20 coins and a maintenance of 3 %:
    // some 5 % below.
    expect(Number(accounts[1].breaksAtQuote)).toBeGreaterThan(56_500);
    expect(Number(accounts[1].breaksAtQuote)).toBeLessThan(57_100);

    expect(chain.head.number, "no block came").toBe(head);
    expect(await world.nonce(address)).toBe(0);
    expect(await world.paper(address)).toBe(0n);
    for (const [i, victim] of world.victims.entries())
      expect(await world.paper(victim.address)).toBe(([20n, 29n][i] as bigint) * COIN);
  });

  it("simulates no more accounts than requested, and prints the results as text", async () => {
    const { file, env, key } = world.bot({ liquidator: WATCH });
    await world.registers(key);
    const { accounts } = await drilled(file, env, "--most", "1");
    expect(accounts).toHaveLength(1);
    const { code, out } = await captureCli(["drill", file], env);
    expect(code).toBe(0);
    // The house is short, and deep in dollars: it is the third.
    expect(out).toMatch(/^account +market +breaks at +move +takes +outcome +earns +why\n/);
    expect(out).toMatch(
      /3 accounts rehearsed on a copy of block \d+, 2 would be won; nothing was sent\n$/,
    );
  });

  it("keeps to what the file lets be under way at once, and says what would be refused or would earn too little", async () => {
    const bounded = world.bot({
      liquidator: "{ minProfitQuote: 1, watchFromBlock: 0, maxNotionalQuote: 100000 }",
    });
    await world.registers(bounded.key);
    for (const { requestBase, breaksAtQuote, outcome } of (
      await drilled(bounded.file, bounded.env, "--most", "2")
    ).accounts) {
      expect(outcome).toBe("won");
      expect(Number(requestBase) * Number(breaksAtQuote)).toBeLessThanOrEqual(100_000);
      expect((Number(requestBase) + 0.001) * Number(breaksAtQuote)).toBeGreaterThan(100_000);
    }
    const greedy = world.bot({
      key: bounded.key,
      liquidator: "{ minProfitQuote: 10000000, watchFromBlock: 0 }",
    });
    expect((await drilled(greedy.file, greedy.env, "--most", "1")).accounts).toMatchObject([
      {
        outcome: "unprofitable",
        detail: expect.stringContaining("less than the least profit"),
        earnedQuote: null,
      },
    ]);
    // Nobody has paid anything in.
    const poor = world.bot({ liquidator: WATCH });
    expect((await drilled(poor.file, poor.env, "--most", "1")).accounts).toMatchObject([
      {
        outcome: "refused",
        detail: expect.stringContaining("margin"),
        earnedQuote: null,
        gasUsed: null,
      },
    ]);
  });

  it("copies from the first RPC that answers, as its bot would go on with it", async () => {
    const { file, env, key } = world.bot({
      liquidator: WATCH,
      chain: `{ rpc: ["http://127.0.0.1:1", "${world.rpcUrl}"], pollMs: 50, maxHeadAgeMs: 3600000 }`,
    });
    await world.registers(key);
    const { accounts } = await drilled(file, env, "--most", "1");
    expect(accounts).toMatchObject([{ outcome: "won" }]);
  });

  it("ends with 2 on a file without a liquidator or a count that is none, with 1 where nothing could be rehearsed", async () => {
    const { file, env, key } = world.bot();
    expect(await captureCli(["drill", file, "--most", "0"], env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("--most"),
    });
    const away = world.bot({ key, chain: '{ rpc: ["http://127.0.0.1:1"] }' });
    expect(await captureCli(["drill", away.file], away.env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("127.0.0.1:1"),
    });
    const none = world.bot();
    const text = readFileSync(none.file, "utf8").split("\n");
    writeFileSync(
      none.file,
      text
        .filter((line) => !line.startsWith("chain") && !line.startsWith("liquidator"))
        .join("\n")
        .replace(
          "{ limits:",
          "{ strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits:",
        ),
    );
    expect(await captureCli(["drill", none.file], none.env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("liquidator"),
    });
  });
});
