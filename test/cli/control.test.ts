import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lockAccount } from "#bot/account-lock.js";
import { writeContractChangeHalts } from "#bot/contract-change-halt-store.js";
import type { ControlCommand } from "#bot/control-protocol.js";
import { type ControlServer, startControlServer } from "#bot/control-server.js";
import { LatchStore } from "#bot/latch-store.js";
import { ManualHaltStore, manualHaltFile } from "#bot/manual-halt-store.js";
import { addRunningBotEntry } from "#bot/running-bots.js";
import { FileStateStore } from "#bot/state-dir.js";
import { ConfigError, RunError } from "#core/errors.js";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { captureCli } from "./captured-cli.js";

const open: ControlServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

function opened(started: ControlServer): ControlServer {
  open.push(started);
  return started;
}

const addressOf = (privateKey: string): Hex => ecdsaScheme.signer(privateKey as Hex).address;

async function runningBot(answer: (command: ControlCommand) => unknown) {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const env = { XDG_RUNTIME_DIR: folder };
  const heard: ControlCommand[] = [];
  const { socketPath } = opened(
    await startControlServer(join(folder, "c.sock"), async (command) => {
      heard.push(command);
      return answer(command);
    }),
  );
  addRunningBotEntry({ pid: process.pid, config: "/bots/a.yaml", account: "0xa", socketPath }, env);
  return { env, heard };
}

describe("what is said to a running bot", () => {
  it("reaches the only running bot without naming it", async () => {
    const { env, heard } = await runningBot(() => ({ done: true }));
    for (const args of [
      ["status"],
      ["halt", "--market", "btcusdc", "--reason", "news"],
      ["resume", "/bots/a.yaml"],
      ["flatten", "--max-slippage-bps", "25.5", "--slice-base", "0.1"],
    ]) {
      expect(await captureCli([...args, "--json"], env)).toMatchObject({ code: 0, err: "" });
    }
    expect(heard).toEqual([
      { command: "status" },
      { command: "halt", marketId: "btcusdc", reason: "news" },
      { command: "resume" },
      { command: "flatten", maxSlippageBps: 25.5, sliceBase: "0.1" },
    ]);
  });

  it("is printed whole where a bot of another version answers: nothing of it is lost", async () => {
    const { env } = await runningBot(() => ({
      equityQuote: "100000.5",
      halted: [],
      markets: { btcusdc: { positionBase: "0.02" } },
    }));
    for (const command of ["status", "halt", "flatten"])
      expect((await captureCli([command], env)).out).toBe(
        'equityQuote: "100000.5"\nhalted: []\nmarkets:\n  btcusdc:\n    positionBase: "0.02"\n',
      );
    expect(JSON.parse((await captureCli(["status", "--json"], env)).out)).toMatchObject({
      markets: { btcusdc: { positionBase: "0.02" } },
    });
  });

  it("fails with exit code 1 when the bot could not do it, or none runs", async () => {
    const { env } = await runningBot(() => {
      throw new RunError("the position is flat already");
    });
    expect(await captureCli(["flatten"], env)).toEqual({
      code: 1,
      out: "",
      err: "marketwright: the position is flat already\n",
    });
    const nobody = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "mw-")) };
    expect(await captureCli(["status"], nobody)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no bot of this user is running"),
    });
    expect(await captureCli(["status", "/bots/b.yaml"], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining("/bots/a.yaml"),
    });
  });

  it("is rejected with exit code 2 when it is invalid", async () => {
    const { env, heard } = await runningBot(() => null);
    expect(await captureCli(["flatten", "--max-slippage-bps", "much"], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--max-slippage-bps"),
    });
    for (const [args, flag] of [
      [["flatten", "--slice-base", "abc"], "--slice-base"],
      [["flatten", "--slice-base", "-1"], "--slice-base"],
      [["halt", "--reason", ""], "--reason"],
      [["halt", "--reason", "x".repeat(300)], "--reason"],
      [["resume", "--market", ""], "--market"],
    ] as const) {
      expect(await captureCli(args, env)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${flag}: is not valid`),
      });
    }
    for (const wait of ["soon", "0s", "5x"])
      expect(await captureCli(["halt", "--wait", wait, "/bots/a.yaml"], env)).toMatchObject({
        code: 2,
        err: expect.stringContaining("--wait: is not a duration"),
      });
    expect(heard).toEqual([]);
  });

  it("is rejected with exit code 2 when the bot rejects it as invalid", async () => {
    const { env } = await runningBot(() => {
      throw new ConfigError("is not a market of this bot", {
        field: "marketId",
        value: "nope",
        expected: "one of btcusdc",
      });
    });
    expect(await captureCli(["halt", "--market", "nope"], env)).toEqual({
      code: 2,
      out: "",
      err: 'marketwright: marketId: is not a market of this bot (got "nope"); expected one of btcusdc\n',
    });
  });
});

describe("a halt of a bot that hangs, and is killed before it has heard it", () => {
  const account = `0x${"4a".repeat(20)}` as Hex;

  /** A bot that hangs up without a word, as one does that is killed. */
  async function dyingBot(markets: readonly string[] = ["btcusdc"]) {
    const folder = mkdtempSync(join(tmpdir(), "mw-"));
    const env = { XDG_RUNTIME_DIR: folder };
    const state = { directory: join(folder, "state"), markets: [...markets] };
    const server = await startControlServer(join(folder, "c.sock"), async () => {
      void server.close();
      return new Promise(() => {});
    });
    addRunningBotEntry(
      {
        pid: process.pid,
        config: "/bots/a.yaml",
        account,
        socketPath: opened(server).socketPath,
        state,
      },
      env,
    );
    const found = () => new ManualHaltStore(new FileStateStore(state.directory), account).read();
    return { env, folder, directory: state.directory, found };
  }

  it("applies at its next start, and the command says that nothing else was done", async () => {
    const { env, directory, found } = await dyingBot();
    expect(await captureCli(["halt", "--reason", "news"], env)).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(
        /closed the connection before it answered.*the halt is stored: the next bot that starts is halted/,
      ),
    });
    expect(found()).toEqual([{ why: "news", atMs: expect.any(Number) }]);
    expect(readdirSync(directory), "nothing is left beside it").toEqual([
      "audit.jsonl",
      manualHaltFile(),
    ]);
    const audit = JSON.parse(readFileSync(join(directory, "audit.jsonl"), "utf8"));
    expect(audit).toMatchObject({
      via: "command-line",
      command: { command: "halt", reason: "news" },
      outcome: "error",
      error: expect.stringContaining("closed the connection before it answered"),
    });
  });

  it("leaves those of before, and is refused for a market that the bot does not have", async () => {
    const { env, found, directory } = await dyingBot(["btcusdc", "ethusdc"]);
    new ManualHaltStore(new FileStateStore(directory), account).save({
      marketId: "ethusdc",
      why: "earlier",
      atMs: 1,
    });
    expect(await captureCli(["halt", "--market", "solusdc"], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("ethusdc"),
    });
    await captureCli(["halt", "--market", "btcusdc", "--reason", "news"], env);
    expect(found().map(({ marketId, why }) => `${marketId}: ${why}`)).toEqual([
      "ethusdc: earlier",
      "btcusdc: news",
    ]);
  });

  it("reaches the bot even if nothing can be written, and the command does not claim to have stored it", async () => {
    const { env, folder } = await dyingBot();
    writeFileSync(join(folder, "state"), "a file where the folder was");
    const { code, err } = await captureCli(["halt"], env);
    expect(code).toBe(1);
    expect(err).toContain("closed the connection before it answered");
    expect(err).not.toContain("is stored");
  });
});

const key = `0x${"45".repeat(32)}`;

/** A bot's file, and the environment that its halts are kept from. */
function stoppedBot() {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const file = join(folder, "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "http://127.0.0.1:9/v1", stream: "ws://127.0.0.1:9/v1" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: POST_ONLY }
markets:
  btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 }, limits: { maxPositionBase: 0.5, maxOrderBase: 0.1 } }
risk: { maxDrawdownQuote: 500 }
stateDir: ${join(folder, "state")}
`,
  );
  return {
    file,
    halts: join(folder, "state", manualHaltFile()),
    env: { BOT_KEY: key, XDG_RUNTIME_DIR: folder },
  };
}

describe("two bots from one file, a live one and one on paper beside it with a key of its own", () => {
  const keys = { live: key, paper: `0x${"46".repeat(32)}` };
  const accounts = { live: addressOf(keys.live), paper: addressOf(keys.paper) };

  /** Both bots, whichever of them entered itself under the first name. */
  async function bothRun() {
    const { file, halts, env } = stoppedBot();
    const heard: string[] = [];
    for (const who of ["live", "paper"] as const) {
      const { socketPath } = opened(
        await startControlServer(join(dirname(file), `${who}.sock`), async ({ command }) => {
          heard.push(`${who}: ${command}`);
          return null;
        }),
      );
      addRunningBotEntry(
        { pid: process.pid, config: file, account: accounts[who], socketPath },
        env,
      );
    }
    return { file, halts, env, heard };
  }

  it("are told apart by the key of the terminal: a halt for the news is not the paper's, while the live one goes on quoting", async () => {
    const { file, env, heard } = await bothRun();
    for (const who of ["live", "paper", "live"] as const)
      expect(
        await captureCli(["halt", file, "--reason", "news"], { ...env, BOT_KEY: keys[who] }),
      ).toMatchObject({ code: 0, err: "" });
    await captureCli(["status", file], { ...env, BOT_KEY: keys.paper });
    await captureCli(["flatten", file], { ...env, BOT_KEY: keys.live });
    expect(heard).toEqual([
      "live: halt",
      "paper: halt",
      "live: halt",
      "paper: status",
      "live: flatten",
    ]);
  });

  it("neither receives a command from a terminal without a key, or with a third one", async () => {
    const { file, halts, env, heard } = await bothRun();
    for (const BOT_KEY of [undefined, `0x${"47".repeat(32)}`])
      for (const command of ["status", "halt", "resume", "flatten"]) {
        const { code, err } = await captureCli([command, file], { ...env, BOT_KEY });
        expect(code).toBe(2);
        expect(err).toMatch(
          /several bots run from this file.*expected the key of the intended bot/,
        );
        for (const account of Object.values(accounts)) expect(err).toContain(`account ${account}`);
      }
    expect(heard).toEqual([]);
    expect(existsSync(halts)).toBe(false);
  });

  it("are told apart by their accounts where no file is named", async () => {
    const { env } = await bothRun();
    const { code, err } = await captureCli(["status"], env);
    expect(code).toBe(2);
    for (const account of Object.values(accounts)) expect(err).toContain(`account ${account}`);
  });
});

describe("a halt or a resume of a bot that does not run", () => {
  const account = addressOf(key);

  it("is kept for its next start, by market or for all, until it is taken back", async () => {
    const { file, halts, env } = stoppedBot();
    const said = async (...args: string[]) =>
      JSON.parse((await captureCli([...args, "--json"], env)).out);
    const atMs = expect.any(Number);
    const news = { name: "manual", why: "news", atMs };
    const fork = { name: "manual", marketId: "btcusdc", why: "fork", atMs };
    expect(await said("halt", file, "--reason", "news")).toEqual({
      phase: "not running",
      account,
      halts: [news],
    });
    expect(await said("halt", file, "--market", "btcusdc", "--reason", "fork")).toMatchObject({
      halts: [news, fork],
    });
    expect(new ManualHaltStore(new FileStateStore(dirname(halts)), account).read()).toMatchObject([
      { why: "news" },
      { marketId: "btcusdc", why: "fork" },
    ]);
    expect(await said("resume", file, "--market", "btcusdc")).toMatchObject({
      halts: [news],
      resumed: [fork],
    });
    expect(await said("resume", file)).toMatchObject({ halts: [], resumed: [news] });
  });

  it("says in a sentence what holds for the next start, and what ends it", async () => {
    const { file, env } = stoppedBot();
    const said = async (...args: string[]) => (await captureCli(args, env)).out;
    const resume = `marketwright resume ${file}`;
    expect(await said("halt", file, "--market", "btcusdc", "--reason", "fork")).toBe(
      "Halted: the bot does not run, and its next start will not quote in btcusdc.\n" +
        `halt    where    ends${" ".repeat(resume.length + 13)}  reason\n` +
        `manual  btcusdc  ${resume} --market btcusdc  fork\n`,
    );
    expect(await said("halt", file, "--reason", "news\x1b[2J at eight")).toContain(
      "Halted: the bot does not run, and its next start will not quote.\n",
    );
    const resumed = await said("resume", file, "--market", "btcusdc");
    expect(resumed).toMatch(
      /^Resumed manual of btcusdc \(fork\): the bot does not run, and 1 halt waits for the next start\.\n/,
    );
    expect(resumed, "a reason does not move the cursor").not.toContain("\x1b");
    expect(await said("resume", file)).toMatch(
      /^Resumed manual \(news .*\): the bot does not run, and its next start may quote\.\n$/,
    );
  });

  it("waits for no order of a bot that left in order, and fails where one may be open", async () => {
    const { file, halts, env } = stoppedBot();
    expect(await captureCli(["halt", file, "--wait"], env)).toMatchObject({ code: 0, err: "" });
    const store = new FileStateStore(dirname(halts));
    const beat = { atMs: 0, lastRequestMs: 0, markets: ["btcusdc"], pid: 1 };
    store.write("heartbeat.json", JSON.stringify({ ...beat, state: "stopped" }));
    // The file may stand where a duration may.
    expect(await captureCli(["halt", "--wait", file], env)).toMatchObject({ code: 0, err: "" });
    for (const text of [JSON.stringify({ ...beat, state: "running" }), "{"]) {
      store.write("heartbeat.json", text);
      expect(await captureCli(["halt", file, "--wait", "1s"], env)).toMatchObject({
        code: 1,
        out: expect.stringContaining("Halted: the bot does not run"),
        err: expect.stringContaining(`marketwright cancel-all ${file} cancels them`),
      });
    }
  });

  it("fails without a halt that it could end, and lists the others in force", async () => {
    const { file, env } = stoppedBot();
    const nothing = await captureCli(["resume", file, "--json"], env);
    expect(nothing).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^marketwright: nothing was resumed: the bot does not run/),
    });
    expect(JSON.parse(nothing.out)).toEqual({
      phase: "not running",
      account,
      halts: [],
      resumed: [],
    });
    await captureCli(["halt", file, "--reason", "news"], env);
    expect(await captureCli(["resume", file, "--market", "btcusdc"], env)).toMatchObject({
      code: 1,
      out: expect.stringContaining("news"),
      err: expect.stringMatching(
        /btcusdc has no halt to resume\. Elsewhere there is manual; the command without --market resumes all/,
      ),
    });
  });

  it("ends a drawdown: its loss is accepted, and the next start measures from what it finds", async () => {
    const { file, halts, env } = stoppedBot();
    const store = new FileStateStore(dirname(halts));
    const latch = {
      action: "halt",
      why: "net value 90 is 10 quote below its peak 100, allowed 5",
      atMs: 1,
    } as const;
    const drawdown = { name: "drawdown", ...latch };
    new LatchStore(store, account).keep([{ measure: "drawdown", ...latch }]);
    const halted = await captureCli(["halt", file, "--json", "--market", "btcusdc"], env);
    expect(JSON.parse(halted.out).halts).toMatchObject([
      drawdown,
      { name: "manual", marketId: "btcusdc" },
    ]);

    expect(await captureCli(["resume", file, "--market", "btcusdc"], env)).toMatchObject({
      code: 0,
    });
    expect(
      new LatchStore(store, account).read().accepted,
      "a market's resume accepts no loss of the account",
    ).toEqual([]);
    const { code, out } = await captureCli(["resume", file, "--json"], env);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, halts: [], resumed: [drawdown] });
    expect(new LatchStore(store, account).read()).toEqual({
      rungs: [],
      accepted: [{ measure: "drawdown", ...latch }],
    });
    expect(await captureCli(["resume", file], env)).toMatchObject({ code: 1 });
  });

  it("accepts the contract that a start found in a market, and no other market's", async () => {
    const { file, halts, env } = stoppedBot();
    const store = new FileStateStore(dirname(halts));
    const [old, now] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`] as const;
    store.write("contracts.json", JSON.stringify({ btcusdc: old, ethusdc: old }));
    const changed = (marketId: string) =>
      ({
        name: "exchange-info-changed",
        marketId,
        perp: now,
        why: "another contract",
        atMs: 1,
      }) as const;
    writeContractChangeHalts(store, account, [changed("btcusdc"), changed("ethusdc")]);
    const { code, out } = await captureCli(["resume", file, "--market", "btcusdc", "--json"], env);
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 0,
      halts: [changed("ethusdc")],
      resumed: [changed("btcusdc")],
    });
    expect(JSON.parse(store.read("contracts.json") ?? "")).toEqual({ btcusdc: now, ethusdc: old });
  });

  it("is kept for every market that is halted at once: a script that halts twenty was told of ten that another bot trades the account", async () => {
    const { file, env } = stoppedBot();
    const markets = Array.from({ length: 20 }, (_, index) => `m${index}usdc`);
    const text = readFileSync(file, "utf8");
    const entry = text.split("\n").find((line) => line.includes("btcusdc:")) ?? "";
    writeFileSync(
      file,
      text.replace(entry, markets.map((market) => entry.replace("btcusdc", market)).join("\n")),
    );
    const runs = await Promise.all(
      markets.map((market) =>
        captureCli(["halt", file, "--market", market, "--reason", "news"], env),
      ),
    );
    expect(runs.map(({ code, err }) => `${code}${err}`)).toEqual(markets.map(() => "0"));
    const { halts } = JSON.parse(
      (await captureCli(["resume", file, "--market", "m7usdc", "--json"], env)).out,
    );
    expect(halts.map(({ marketId }: { marketId: string }) => marketId).sort()).toEqual(
      markets.filter((market) => market !== "m7usdc").sort(),
    );
  });

  it("is refused for a market that it does not have, and for a file that is not there", async () => {
    const { file, halts, env } = stoppedBot();
    expect(await captureCli(["halt", file, "--market", "ethusdc"], env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("expected one of btcusdc"),
    });
    expect(await captureCli(["halt", `${file}.none`], env)).toMatchObject({ code: 2, out: "" });
    expect(existsSync(halts)).toBe(false);
  });

  it("is rejected while another process holds the account, which must get the command", async () => {
    const { file, halts, env } = stoppedBot();
    const lock = await lockAccount({ account, env, stateDir: dirname(halts) });
    try {
      const { code, err } = await captureCli(["resume", file], env);
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining("another bot on this machine trades this account"),
      });
      // The next start is halted anyway.
      expect(await captureCli(["halt", file], env)).toMatchObject({
        code: 1,
        err: expect.stringContaining("the halt is stored for the next start"),
      });
      expect(existsSync(halts)).toBe(true);
    } finally {
      lock.release();
    }
  });

  it("does not resume from a state that it cannot read", async () => {
    const { file, halts, env } = stoppedBot();
    await captureCli(["halt", file], env);
    writeFileSync(halts, "{");
    expect(await captureCli(["resume", file], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining(manualHaltFile()),
    });
    expect(readFileSync(halts, "utf8")).toBe("{");
  });

  it("every command to a running bot says that its file does not exist, if it does not", async () => {
    const { file, env } = stoppedBot();
    for (const words of [
      ["status", `${file}.none`],
      ["flatten", `${file}.none`],
      ["set", `${file}.none`, "decide.everyMs=300"],
      ["reload", `${file}.none`],
      ["cockpit", `${file}.none`],
    ])
      expect(await captureCli(words, env), words[0]).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringMatching(/runs from this file, which does not exist \(got .*\.none"?\)/),
      });
  });

  it("flatten and status need a running bot", async () => {
    const { file, env } = stoppedBot();
    for (const command of ["status", "flatten"])
      expect(await captureCli([command, file], env)).toMatchObject({
        code: 1,
        err: expect.stringContaining("no bot of this user runs from this file"),
      });
  });
});
