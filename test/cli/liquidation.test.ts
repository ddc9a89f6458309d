import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decimalToScaled } from "../../src/core/instrument.js";
import { encryptKeystore } from "../../src/core/keystore.js";
import { seededRandom } from "../../src/core/seeded-random.js";
import { decodeLedger } from "../../src/liquidator/ledger/ledger-lines.js";
import type { Opportunity } from "../../src/liquidator/ledger/opportunity.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";
import { LiquidationExchange, until } from "./liquidation-exchange.js";

const COIN = 10n ** 18n;
const ONE_ETHER = "0xde0b6b3a7640000";
const WATCH = "{ minProfitQuote: 1, watchFromBlock: 0 }";
const children: ChildProcess[] = [];
let world: LiquidationExchange;
beforeAll(async () => {
  world = await LiquidationExchange.start();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await world.close();
});

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
    // 100,000 less what was paid above the mark and in fees, at 20 coins and a maintenance of 3 %: some 5 % below.
    expect(Number(accounts[1].breaksAtQuote)).toBeGreaterThan(56_500);
    expect(Number(accounts[1].breaksAtQuote)).toBeLessThan(57_100);

    expect(chain.head.number, "no block came").toBe(head);
    expect(await world.nonce(address)).toBe(0);
    expect(await world.paper(address)).toBe(0n);
    for (const [i, victim] of world.victims.entries()) expect(await world.paper(victim.address)).toBe(([20n, 29n][i] as bigint) * COIN);
  });

  it("rehearses no more than it was told to, and says in words what came of it", async () => {
    const { file, env, key } = world.bot({ liquidator: WATCH });
    await world.registers(key);
    const { accounts } = await drilled(file, env, "--most", "1");
    expect(accounts).toHaveLength(1);
    const { code, out } = await captureCli(["drill", file], env);
    expect(code).toBe(0);
    // The house is short, and deep in dollars: it is the third.
    expect(out).toMatch(/^account +market +breaks at +move +takes +outcome +earns +why\n/);
    expect(out).toMatch(/3 accounts rehearsed on a copy of block \d+, 2 would be won; nothing was sent\n$/);
  });

  it("keeps to what the file lets be under way at once, and says what would be refused or would earn too little", async () => {
    const bounded = world.bot({ liquidator: "{ minProfitQuote: 1, watchFromBlock: 0, maxNotionalQuote: 100000 }" });
    await world.registers(bounded.key);
    for (const { requestBase, breaksAtQuote, outcome } of (await drilled(bounded.file, bounded.env, "--most", "2")).accounts) {
      expect(outcome).toBe("won");
      expect(Number(requestBase) * Number(breaksAtQuote)).toBeLessThanOrEqual(100_000);
      expect((Number(requestBase) + 0.001) * Number(breaksAtQuote)).toBeGreaterThan(100_000);
    }
    const greedy = world.bot({ key: bounded.key, liquidator: "{ minProfitQuote: 10000000, watchFromBlock: 0 }" });
    expect((await drilled(greedy.file, greedy.env, "--most", "1")).accounts).toMatchObject([
      { outcome: "unprofitable", detail: expect.stringContaining("short of the least profit"), earnedQuote: null },
    ]);
    // Nobody has paid anything in.
    const poor = world.bot({ liquidator: WATCH });
    expect((await drilled(poor.file, poor.env, "--most", "1")).accounts).toMatchObject([
      { outcome: "refused", detail: expect.stringContaining("margin"), earnedQuote: null, gasUsed: null },
    ]);
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
        .replace("{ limits:", "{ strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits:"),
    );
    expect(await captureCli(["drill", none.file], none.env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("liquidator"),
    });
  });
});

describe("marketwright check --connect of a bot that liquidates", () => {
  const findings = async ({ file, env }: { readonly file: string; readonly env: Record<string, string> }) => {
    const { out, code } = await captureCli(["check", file, "--connect", "--json"], env);
    const found: { readonly level: string; readonly subject: string; readonly text: string }[] = JSON.parse(out).findings;
    return { code, of: (subject: string) => found.filter((one) => one.subject === subject) };
  };

  it("looks at the RPC, the dealer, the lens, the own margin and the gas", async () => {
    const bot = world.bot();
    await world.registers(bot.key);
    const { code, of } = await findings(bot);
    expect(code).toBe(0);
    expect(of("chain.quorum")).toMatchObject([{ level: "ok", text: "1 of 1 RPCs are believed, and 1 must agree" }]);
    expect(of("chain")).toMatchObject([{ level: "ok", text: expect.stringContaining(world.chain.addresses.dealer.toLowerCase()) }]);
    expect(of("chain.lens")).toMatchObject([{ level: "ok", text: expect.stringContaining("reads 1 markets") }]);
    expect(of("liquidator.margin")).toMatchObject([{ level: "ok", text: "net value 100000, maintenance margin 0 on the chain" }]);
    expect(of("liquidator.gas")).toMatchObject([
      { level: "ok", text: expect.stringMatching(/has 1\.000 ETH, enough for \d{3,} takeovers/) },
    ]);
  });

  it("warns, no more, of a key without gas whose account the exchange does not know yet", async () => {
    const { code, of } = await findings(world.bot());
    expect(of("liquidator.gas")).toMatchObject([
      {
        level: "warning",
        text: expect.stringMatching(/enough for 0 takeovers .*; the exchange may give some when the account registers$/),
      },
    ]);
    expect(of("liquidator.pollMs")).toHaveLength(1);
    expect(code).toBe(0);
  });

  it("says that a key is no operator's, that an RPC is away, that nobody can pay for gas, and what else is missing", async () => {
    const owner = world.bot();
    await world.registers(owner.key);
    const bot = world.bot({
      account: `{ keyEnv: BOT_KEY, address: "${owner.address}" }`,
      chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], maxHeadAgeMs: 3600000, quorum: 2 }`,
    });
    const first = await findings(bot);
    expect(first.code).toBe(1);
    expect(first.of("account.address")).toMatchObject([
      { level: "error", text: expect.stringMatching(/own key has registered.* has named 0x[0-9a-fA-F]{40} its operator by setOperator/) },
    ]);
    expect(first.of("account"), "nothing that a start would do by itself").toEqual([]);
    expect(first.of("chain.rpc")).toMatchObject([
      { level: "error", text: expect.stringMatching(/no head that can be believed .*127\.0\.0\.1:1: /) },
    ]);
    const second = await findings(
      world.bot({
        key: bot.key,
        account: `{ keyEnv: BOT_KEY, address: "${owner.address}" }`,
        chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], maxHeadAgeMs: 3600000 }`,
      }),
    );
    expect(second.of("chain.127.0.0.1:1")).toMatchObject([{ level: "warning" }]);
    expect(second.code).toBe(1);
    expect(second.of("account.address").map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/is no operator of 0x[0-9a-fA-F]{40} on the chain; expected setOperator by the account/),
    );
    expect(second.of("liquidator.gas")).toMatchObject([{ level: "error", text: expect.stringContaining("enough for 0 takeovers") }]);
    const lost = await findings(
      world.bot({ key: owner.key, chain: `{ rpc: ["${world.rpcUrl}"], maxHeadAgeMs: 3600000, lens: "0x${"12".repeat(20)}" }` }),
    );
    expect(lost.code).toBe(1);
  });
});

describe("marketwright explain of a bot that liquidates", () => {
  const explained = async ({ file, env }: { readonly file: string; readonly env: Record<string, string> }) => {
    const { out } = await captureCli(["explain", file, "--json"], env);
    return JSON.parse(out).liquidator;
  };

  it("says whom it would take over and at what profit, what room it has, and sends nothing", async () => {
    const bot = world.bot({ liquidator: "{ minProfitQuote: 1, watchFromBlock: 0, maxGasQuote: 5, marginBufferFraction: 1 }" });
    await world.registers(bot.key);
    const calm = await explained(bot);
    expect(calm).toMatchObject({ state: "watching", reasons: [], troubles: [], candidates: [], mayAct: true, sender: bot.address });
    expect(calm.nearest[0]).toMatchObject({ account: world.victims[1]?.address.toLowerCase() });
    expect(calm.nearest[0].distanceBps).toBeGreaterThan(100);
    expect(calm.margin).toEqual({ netValueQuote: "100000", maintenanceQuote: "0", freeQuote: "100000" });
    // 100,000 dollars carry twice the maintenance margin of 3 % of 1,666,666 dollars.
    expect(calm.capacity).toEqual([{ marketId: "btcusdc", longBase: "27.777", shortBase: "27.777", boundBy: ["margin"], hasBook: true }]);

    await world.mark(58_000);
    const danger = await explained(bot);
    expect(danger).toMatchObject({ state: "would take over", reasons: [], rules: { minProfitQuote: "1", maxGasQuote: "5" } });
    expect(danger.candidates).toMatchObject([{ victim: world.victims[1]?.address.toLowerCase(), fate: "would be taken over" }]);
    const [{ amountBase, expectedProfitQuote, worstProfitQuote }] = danger.candidates;
    expect(Number(amountBase)).toBeGreaterThan(1);
    expect(Number(expectedProfitQuote)).toBeGreaterThan(Number(worstProfitQuote));
    expect(Number(worstProfitQuote)).toBeGreaterThanOrEqual(1);
    const text = (await captureCli(["explain", bot.file], bot.env)).out;
    expect(text).toContain("liquidator: would take over\n  watches   ");
    expect(text).toContain("  rules     least profit 1, up to the whole position, 4 at a time\n  gas       ");
    expect(text).toContain(`${world.victims[1]?.address.toLowerCase()} would be taken over, ${amountBase} at an expected profit of`);
    expect(await world.nonce(bot.address)).toBe(0);
    expect(await world.paper(bot.address)).toBe(0n);

    const greedy = await explained(
      world.bot({ key: bot.key, liquidator: "{ minProfitQuote: 10000000, watchFromBlock: 0, dryRun: true }" }),
    );
    expect(greedy).toMatchObject({ state: "nothing can be taken over", reasons: [expect.stringContaining("dryRun is true")] });
    expect(greedy.candidates).toMatchObject([{ fate: "earns too little", shortOfQuote: expect.stringMatching(/^99/) }]);
    await world.mark(60_000);
  });

  it("says why nothing can be taken now: no margin, no gas, no chain", async () => {
    const owner = world.bot();
    await world.registers(owner.key);
    const poor = await explained(world.bot({ liquidator: WATCH }));
    expect(poor).toMatchObject({ state: "nothing can be taken over", margin: { netValueQuote: "0" } });
    expect(poor.reasons).toEqual([
      expect.stringMatching(/^the own account has no room for a lot \(margin\)$/),
      expect.stringMatching(/ has 0 ETH, less than one takeover's gas$/),
    ]);
    const away = world.bot({ key: owner.key, chain: '{ rpc: ["http://127.0.0.1:1"] }' });
    const blind = await explained(away);
    expect(blind).toMatchObject({ state: "nothing can be taken over", reasons: [expect.stringContaining("127.0.0.1:1")] });
    expect(blind.margin).toBeUndefined();
    const { code, out } = await captureCli(["explain", away.file], away.env);
    expect(code, "what it would quote is an answer all the same").toBe(0);
    expect(out).toContain("liquidator: nothing can be taken over\n  but       ");
  });
});

describe("a liquidation by a process of its own", () => {
  const PASSWORD = "snark-hunter-0451";

  it("earns what the drill said, and writes neither its key nor its password anywhere, whatever goes wrong", async () => {
    const key = world.freshKey();
    const bot = world.bot({
      key,
      account: "{ keystore: { file: ./key.json, passwordEnv: PASSWORD } }",
      chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], pollMs: 50, maxHeadAgeMs: 3600000 }`,
      liquidator: "{ minProfitQuote: 1, watchFromBlock: 0, cooldownMs: 200, unwind: { makerFirstMs: 0, horizonMs: 1000, slices: 1 } }",
      extra: "metrics: { port: 0 }\nlogLevel: trace",
    });
    writeFileSync(
      join(bot.own, "key.json"),
      encryptKeystore({ privateKey: key, password: PASSWORD, random: seededRandom("k"), scryptN: 2 }),
      {
        mode: 0o600,
      },
    );
    const env = { PASSWORD, XDG_RUNTIME_DIR: bot.own };
    await world.registers(key);
    const written: string[] = [];
    const said = async (...args: readonly string[]) => {
      const { out, err } = await captureCli(args, env);
      written.push(out, err);
      return out;
    };

    // Nothing to send with: every takeover is refused until there is.
    const { chain } = world.chain;
    await chain.request("hardhat_setBalance", bot.address, "0x0");
    await world.mark(58_000);
    expect(JSON.parse(await said("drill", bot.file, "--json")).accounts[0]).toMatchObject({
      outcome: "refused",
      detail: expect.stringContaining("enough funds"),
    });
    await chain.request("hardhat_setBalance", bot.address, ONE_ETHER);
    const [drill] = JSON.parse(await said("drill", bot.file, "--json")).accounts;
    await chain.request("hardhat_setBalance", bot.address, "0x0");
    expect(drill).toMatchObject({ outcome: "won", movedBps: 0, breaksAtQuote: "58000" });
    await said("explain", bot.file);
    await said("check", bot.file, "--connect");

    const run = spawn(process.execPath, [builtCommand(), "run", bot.file, "--json", "--journal", join(bot.own, "run.journal")], {
      env: { ...env, PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(run);
    for (const stream of [run.stdout, run.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => written.push(chunk));
    const ended = once(run, "close");
    await until(
      () => written.join(""),
      (text) => text.includes("insufficient-funds"),
    );
    expect(await world.nonce(bot.address)).toBe(0);
    const port = /"port":(\d+),"msg":"metrics are served"/.exec(written.join(""))?.[1];
    written.push(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    written.push(await said("status", "--json"), await said("status"));

    await chain.request("hardhat_setBalance", bot.address, ONE_ETHER);
    const won = await until(
      () => ledgerUnder(bot.own).find(({ outcome, unwound }) => outcome === "won" && unwound !== undefined && unwound.state !== "open"),
      (found) => found !== undefined,
    );
    const told = JSON.parse(await said("status", "--json"));
    expect(told.liquidator).toMatchObject({ dryRun: false, open: [], ended: [{ outcome: "won", remainingBase: "0" }], counts: { won: 1 } });
    expect(told.liquidator.paused).toBeUndefined();
    expect(told).toMatchObject({ unwinding: [{ state: "done", remainingBase: "0" }], unwindCounts: { done: 1 } });
    expect(written.join("")).toContain(`"amountBase":"${drill.requestBase}"`);
    run.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(0);

    expect(won?.takenOver?.paper, "what the drill took").toBe(decimalToScaled(drill.requestBase, 18));
    expect(won?.unwound).toMatchObject({ remainingLots: 0 });
    const earned = Number(won?.profitQuote) / 1e6;
    expect(Math.abs(earned / Number(drill.earnedQuote) - 1), `${earned} of ${drill.earnedQuote}`).toBeLessThan(0.001);
    const receipt = await chain.receipt(won?.takenOver?.hash ?? "");
    expect(Number(receipt?.gasUsed), "of the same transaction").toBe(drill.gasUsed);
    expect(await world.nonce(bot.address)).toBe(1);
    expect(await world.paper(bot.address)).toBe(0n);

    // A state directory that is damaged, then a file that names no RPC: both end it at the start.
    const ledger = filesUnder(bot.own).find((path) => path.endsWith("liquidations.jsonl")) ?? "";
    writeFileSync(ledger, `damaged\n${readFileSync(ledger, "utf8")}`);
    await said("run", bot.file, "--json", "--for", "1s");
    expect(written.at(-1)).toContain("line 1");

    const everything = [...written, ...filesUnder(bot.own).map((path) => readFileSync(path, "latin1"))];
    expect(everything.join("").length).toBeGreaterThan(10_000);
    for (const spelling of [...spellings(Buffer.from(key.slice(2), "hex")), ...spellings(Buffer.from(PASSWORD)), PASSWORD])
      expect(everything.findIndex((text) => text.includes(spelling))).toBe(-1);
  });
});

/** What a secret may look like. */
function spellings(secret: Buffer): readonly string[] {
  const hex = secret.toString("hex");
  return [hex, hex.toUpperCase(), BigInt(`0x${hex}`).toString(), secret.toString("base64"), secret.toString("base64url")];
}

function filesUnder(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

function ledgerUnder(folder: string): readonly Opportunity[] {
  const path = filesUnder(folder).find((one) => one.endsWith("liquidations.jsonl"));
  return path === undefined ? [] : decodeLedger(readFileSync(path, "utf8"));
}
