import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decimalToScaled } from "#core/instrument.js";
import { encryptKeystore } from "#core/keystore.js";
import { seededRandom } from "#core/seeded-random.js";
import { decodeLedger } from "#liquidator/ledger-lines.js";
import type { Opportunity } from "#liquidator/opportunity.js";
import { LocalService } from "../notify/chat-services.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli, startCli } from "./captured-cli.js";
import { LiquidationExchange } from "./liquidation-exchange.js";
import { until } from "./until.js";

const ONE_ETHER = "0xde0b6b3a7640000";
const children: ChildProcess[] = [];
let world: LiquidationExchange;
const hook = new LocalService(() => ({ status: 200, text: "" }));
beforeAll(async () => {
  world = await LiquidationExchange.start();
  await hook.open();
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  hook.close();
  await world.close();
});

describe("a liquidation by a process of its own", () => {
  const PASSWORD = "snark-hunter-0451";

  it("earns what the drill said, and writes neither its key nor its password anywhere, whatever goes wrong", async () => {
    const key = world.freshKey();
    const bot = world.bot({
      key,
      account: "{ keystore: { file: ./key.json, passwordEnv: PASSWORD } }",
      chain: `{ rpc: ["${world.rpcUrl}", "http://127.0.0.1:1"], pollMs: 50, maxHeadAgeMs: 3600000 }`,
      liquidator:
        "{ minProfitQuote: 1, watchFromBlock: 0, cooldownMs: 200, unwind: { makerFirstMs: 0, horizonMs: 3000, slices: 1 } }",
      extra: `metrics: { port: 0 }
logLevel: trace
notify: { channels: { pager: { webhook: { urlEnv: HOOK, secretEnv: HOOK_SECRET }, from: info, digestMs: 0 } } }`,
    });
    writeFileSync(
      join(bot.own, "key.json"),
      encryptKeystore({
        privateKey: key,
        password: PASSWORD,
        random: seededRandom("k"),
        scryptN: 2,
      }),
      {
        mode: 0o600,
      },
    );
    const HOOK_SECRET = "hook-secret-of-the-tests-0001";
    const env = { PASSWORD, XDG_RUNTIME_DIR: bot.own, HOOK: `${hook.url}/in`, HOOK_SECRET };
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

    const run = spawn(
      process.execPath,
      [builtCommand(), "run", bot.file, "--json", "--journal", join(bot.own, "run.journal")],
      {
        env: { ...env, PATH: process.env.PATH },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    children.push(run);
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => written.push(chunk));
    const ended = once(run, "close");
    const sender = startCli(["notify", bot.file], env);
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
      () =>
        ledgerUnder(bot.own).find(
          ({ outcome, unwound }) =>
            outcome === "won" && unwound !== undefined && unwound.state !== "open",
        ),
      (found) => found !== undefined,
    );
    const told = JSON.parse(await said("status", "--json"));
    expect(told.liquidator).toMatchObject({
      dryRun: false,
      open: [],
      ended: [{ outcome: "won", remainingBase: "0" }],
      counts: { won: 1 },
    });
    expect(told.liquidator.paused).toBeUndefined();
    expect(told).toMatchObject({
      unwinding: [{ state: "done", remainingBase: "0" }],
      unwindCounts: { done: 1 },
    });
    expect(written.join("")).toContain(`"amountBase":"${drill.requestBase}"`);
    run.kill("SIGINT");
    const [code] = await ended;
    expect(code).toBe(0);
    sender.interrupt();
    const { code: senderCode, err } = await sender.done;
    expect(senderCode).toBe(0);
    written.push(err, ...hook.posted.map(({ raw }) => raw));
    expect(
      hook.posted
        .flatMap(({ body }) => body.events as { readonly kind: string; readonly title: string }[])
        .flatMap(({ kind, title }) => (kind.startsWith("takeover") ? [title] : [])),
      "each once",
    ).toEqual(["takeover won in btcusdc", "the position taken over in btcusdc is sold"]);

    expect(won?.takenOver?.paper, "what the drill took").toBe(
      decimalToScaled(drill.requestBase, 18),
    );
    expect(won?.unwound).toMatchObject({ remainingLots: 0 });
    const earned = Number(won?.profitQuote) / 1e6;
    expect(
      Math.abs(earned / Number(drill.earnedQuote) - 1),
      `${earned} of ${drill.earnedQuote}`,
    ).toBeLessThan(0.001);
    const receipt = await chain.receipt(won?.takenOver?.hash ?? "");
    expect(Number(receipt?.gasUsed), "of the same transaction").toBe(drill.gasUsed);
    expect(await world.nonce(bot.address)).toBe(1);
    expect(await world.paper(bot.address)).toBe(0n);

    // A state directory that is damaged, then a file that names no RPC: both end it at the start.
    const ledger = filesUnder(bot.own).find((path) => path.endsWith("liquidations.jsonl")) ?? "";
    writeFileSync(ledger, `damaged\n${readFileSync(ledger, "utf8")}`);
    await said("run", bot.file, "--json", "--for", "1s");
    expect(written.at(-1)).toContain("line 1");

    const everything = [
      ...written,
      ...filesUnder(bot.own).map((path) => readFileSync(path, "latin1")),
    ];
    expect(everything.join("").length).toBeGreaterThan(10_000);
    for (const spelling of [
      ...spellings(Buffer.from(key.slice(2), "hex")),
      ...spellings(Buffer.from(PASSWORD)),
      PASSWORD,
    ])
      expect(everything.findIndex((text) => text.includes(spelling))).toBe(-1);
  });
});

/** Encodings of a secret. */
function spellings(secret: Buffer): readonly string[] {
  const hex = secret.toString("hex");
  return [
    hex,
    hex.toUpperCase(),
    BigInt(`0x${hex}`).toString(),
    secret.toString("base64"),
    secret.toString("base64url"),
  ];
}

function filesUnder(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  return (
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => join(folder, name))
      // A process that runs renames its half-written texts.
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
  );
}

function ledgerUnder(folder: string): readonly Opportunity[] {
  const path = filesUnder(folder).find((one) => one.endsWith("liquidations.jsonl"));
  return path === undefined ? [] : decodeLedger(readFileSync(path, "utf8"));
}
