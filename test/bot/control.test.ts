import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createConnection, createServer } from "node:net";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isLocked, lockAccount } from "#bot/account-lock.js";
import { findRunningBot, sendControlRequest } from "#bot/control-client.js";
import { type ControlCommand, controlCommandSchema, LineReader } from "#bot/control-protocol.js";
import {
  type ControlHandler,
  type ControlServer,
  controlSocketPath,
  startControlServer,
} from "#bot/control-server.js";
import { addRunningBotEntry, findRunningBots, runtimeDir } from "#bot/running-bots.js";
import { ConfigError, RunError } from "#core/errors.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { currentProcessName } from "#core/process-life.js";
import { VirtualClock } from "#core/virtual-clock.js";

const { clock } = createLiveRuntime();
const open: ControlServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const pause = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));
const folder = () => mkdtempSync(join(tmpdir(), "mw-"));
const ownEnv = () => ({ XDG_RUNTIME_DIR: folder() });

async function serve(handler: ControlHandler, stateDir = folder()): Promise<string> {
  const server = await startControlServer(controlSocketPath(stateDir, {}), handler);
  open.push(server);
  return server.socketPath;
}

function speak(path: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    let heard = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      heard += chunk;
      if (heard.endsWith("\n")) socket.end();
    });
    socket.on("close", () => resolve(heard));
    socket.write(text);
  });
}

describe("a reader of frames that does not read", () => {
  it("has no more than one of them wait, and gets the newest afterwards", async () => {
    let built = 0;
    const server = await startControlServer(join(folder(), "c.sock"), async () => null, {
      clock,
      // A few of these fill the kernel's buffers.
      frame: () => ({ number: ++built, text: "x".repeat(300_000) }),
    });
    open.push(server);
    const socket = createConnection(server.socketPath);
    const numbers: number[] = [];
    const reader = new LineReader();
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of reader.push(chunk) ?? []) numbers.push(JSON.parse(line).data.number);
    });
    socket.pause();
    socket.write('{"command":"watch","everyMs":100}\n');
    await pause(3_000);
    // Thirty intervals have passed.
    const builtMeanwhile = built;
    expect(builtMeanwhile).toBeGreaterThan(0);
    expect(builtMeanwhile).toBeLessThan(8);
    socket.resume();
    while (numbers.length < 12) await pause(100);
    expect(numbers).toEqual(numbers.map((_, at) => at + 1));
    expect(built).toBeGreaterThan(builtMeanwhile);
    socket.destroy();
    await pause(500);
    const afterEnd = built;
    await pause(1_000);
    expect(built).toBe(afterEnd);
  });
});

describe("the control socket", () => {
  it("passes a checked command with defaults to the bot, and returns its response", async () => {
    const heard: ControlCommand[] = [];
    const path = await serve(async (command) => {
      heard.push(command);
      return { equity: 12n, halted: [] };
    });
    expect(await sendControlRequest(path, { command: "status" }, clock)).toEqual({
      equity: "12",
      halted: [],
    });
    await sendControlRequest(path, { command: "halt", marketId: "btcusdc" }, clock);
    await sendControlRequest(path, { command: "flatten", sliceBase: "0.1" }, clock);
    expect(heard).toEqual([
      { command: "status" },
      { command: "halt", marketId: "btcusdc", reason: "requested by the operator" },
      { command: "flatten", maxSlippageBps: 50, sliceBase: "0.1" },
    ]);
  });

  it("tells the client why a command failed", async () => {
    const path = await serve(async () => {
      throw new ConfigError("no such market", {
        field: "marketId",
        value: "x",
        expected: "btcusdc",
      });
    });
    await expect(
      sendControlRequest(path, { command: "resume", marketId: "x" }, clock),
    ).rejects.toThrow('marketId: no such market (got "x"); expected btcusdc');
  });

  it.each([
    ["no JSON", "halt\n", "is not JSON"],
    [
      "an unknown command",
      '{"command":"stop"}\n',
      "status, halt, resume, flatten, set, reload, watch, preview or cockpit-link",
    ],
    ["an unknown field", '{"command":"halt","market":"btcusdc"}\n', "market"],
    ["a slippage that is none", '{"command":"flatten","maxSlippageBps":-1}\n', "maxSlippageBps"],
    ["a slice of zero", '{"command":"flatten","sliceBase":"0"}\n', "sliceBase"],
  ])("rejects %s without doing anything", async (_name, line, part) => {
    let calls = 0;
    const path = await serve(async () => ++calls);
    const answer = await speak(path, line);
    expect(JSON.parse(answer)).toMatchObject({ ok: false, error: { name: "ConfigError" } });
    expect(answer).toContain(part);
    expect(calls).toBe(0);
  });

  it("disconnects a client whose line never ends", async () => {
    const path = await serve(async () => 1);
    expect(await speak(path, "x".repeat(1_000_001))).toContain("too long");
  });

  it("limits the connections, and the commands that wait", async () => {
    const path = await serve(() => new Promise(() => {}));
    expect(await speak(path, '{"command":"status"}\n'.repeat(200))).toContain(
      "too many commands wait",
    );
    const held = Array.from({ length: 60 }, () => createConnection(path).on("error", () => {}));
    await Promise.all(held.slice(40).map((socket) => once(socket, "close")));
    expect(held.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(32);
    for (const socket of held) socket.destroy();
  });

  it("executes commands one after the other, in their order", async () => {
    const order: string[] = [];
    const path = await serve(async ({ command }) => {
      order.push(`${command} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${command} ends`);
    });
    let heard = "";
    const socket = createConnection(path);
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      heard += chunk;
    });
    socket.write('{"command":"halt"}\n{"command":"resume"}\n');
    while (heard.split("\n").length < 3) await once(socket, "data");
    socket.destroy();
    expect(order).toEqual(["halt begins", "halt ends", "resume begins", "resume ends"]);
  });

  it("can only be opened by its owner", async () => {
    expect(statSync(await serve(async () => 1)).mode & 0o777).toBe(0o600);
  });

  it("is not taken from a live bot, but from one that was killed", async () => {
    const stateDir = folder();
    const path = await serve(async () => "first", stateDir);
    await expect(startControlServer(path, async () => "second")).rejects.toThrow(RunError);
    expect(await sendControlRequest(path, { command: "status" }, clock)).toBe("first");

    const killed = join(folder(), "control.sock");
    const child = spawn(process.execPath, [
      "-e",
      `require("net").createServer().listen(${JSON.stringify(killed)}, () => console.log("up"))`,
    ]);
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const server = await startControlServer(killed, async () => "next");
    open.push(server);
    expect(await sendControlRequest(killed, { command: "status" }, clock)).toBe("next");
  });

  it("moves to the user runtime directory if the state folder's path is too long for a socket", () => {
    const env = ownEnv();
    const path = controlSocketPath(`/${"long/".repeat(40)}`, env);
    expect(path.startsWith(runtimeDir(env))).toBe(true);
    expect(Buffer.byteLength(path)).toBeLessThan(104);
  });

  it("gives up on a bot that does not answer", async () => {
    const virtual = new VirtualClock(0);
    const path = await serve(() => new Promise(() => {}));
    const asked = sendControlRequest(path, { command: "status" }, virtual, 5000);
    const refused = expect(asked).rejects.toThrow(
      "the bot has not answered for 5 s: its event loop is busy",
    );
    await virtual.runFor(5000);
    await refused;
  });

  it("gives a run-time error if no bot listens", async () => {
    await expect(
      sendControlRequest(join(folder(), "none.sock"), { command: "status" }, clock),
    ).rejects.toThrow(RunError);
  });
});

describe("the bot that a command goes to", () => {
  const bot = (config: string, socketPath: string, pid: number) => ({
    pid,
    config,
    account: "0xa",
    socketPath,
  });
  const accountOf = () => "0xa";

  it("is the only running one, if no file is given", async () => {
    const env = ownEnv();
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(
      "no bot of this user is running",
    );
    const leave = addRunningBotEntry(bot("/a.yaml", await serve(async () => 1), 101), env);
    expect((await findRunningBot({ env, accountFor: accountOf })).config).toBe("/a.yaml");
    const leaveSecond = addRunningBotEntry(bot("/b.yaml", await serve(async () => 2), 102), env);
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(ConfigError);
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(
      "/a.yaml (account 0xa, process 101), /b.yaml (account 0xa, process 102)",
    );
    leaveSecond();
    expect((await findRunningBot({ env, accountFor: accountOf })).pid).toBe(101);
    leave();
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(RunError);
  });

  it("is the one of the file, by whatever path", async () => {
    const env = ownEnv();
    const real = join(folder(), "bot.yaml");
    writeFileSync(real, "");
    const link = join(folder(), "link.yaml");
    symlinkSync(real, link);
    addRunningBotEntry(bot(real, await serve(async () => 1), 101), env);
    addRunningBotEntry(bot("/b.yaml", await serve(async () => 2), 102), env);
    expect((await findRunningBot({ file: link, env, accountFor: accountOf })).pid).toBe(101);
    await expect(findRunningBot({ file: "/c.yaml", env, accountFor: accountOf })).rejects.toThrow(
      /no bot of this user runs from this file/,
    );
  });

  it("is never one that was killed: its entry is removed", async () => {
    const env = ownEnv();
    addRunningBotEntry(bot("/a.yaml", join(folder(), "gone.sock"), 101), env);
    writeFileSync(join(runtimeDir(env), "102.json"), "{ torn");
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(
      "no bot of this user is running",
    );
    expect(readdirSync(runtimeDir(env))).toEqual([]);
  });

  it("is never one that was killed, even if another bot now trades its account at the same socket", async () => {
    const env = ownEnv();
    const socketPath = await serve(async () => 1);
    addRunningBotEntry(bot("/a.yaml", socketPath, 101), env);
    addRunningBotEntry(bot("/a.yaml", socketPath, 102), env);
    expect((await findRunningBot({ env, accountFor: accountOf })).pid).toBe(102);
    const leave = addRunningBotEntry(bot("/renamed.yaml", socketPath, 103), env);
    expect((await findRunningBot({ env, accountFor: accountOf })).config).toBe("/renamed.yaml");
    leave();
    await expect(findRunningBot({ env, accountFor: accountOf })).rejects.toThrow(
      "no bot of this user is running",
    );
  });

  it("stays known if it starts at the socket of a dead one while a command looks for it", async () => {
    const env = ownEnv();
    const socketPath = join(folder(), "bot.sock");
    addRunningBotEntry(bot("/a.yaml", socketPath, 101), env);
    const found = await findRunningBots(env, async () => {
      addRunningBotEntry(bot("/a.yaml", socketPath, 102), env);
      return false;
    });
    expect(found).toEqual([]);
    const later = await findRunningBots(env, async () => true);
    expect(later.map(({ pid }) => pid)).toEqual([102]);
  });

  it("is not read from a folder that other users can write to", () => {
    const env = ownEnv();
    mkdirSync(join(env.XDG_RUNTIME_DIR, "marketwright"));
    chmodSync(join(env.XDG_RUNTIME_DIR, "marketwright"), 0o777);
    expect(() => runtimeDir(env)).toThrow(/open to other users/);
  });

  // A user who creates the folder first could keep another user from starting a bot.
  it.skipIf(process.getuid?.() !== 0)(
    "is found in the home folder if another user has taken the name in the temporary folder",
    () => {
      const HOME = folder();
      const taken = join(tmpdir(), `marketwright-${process.getuid?.()}`);
      const before = existsSync(taken) ? statSync(taken) : undefined;
      mkdirSync(taken, { recursive: true });
      chownSync(taken, 54_321, 54_321);
      try {
        expect(runtimeDir({ HOME })).toBe(join(HOME, ".marketwright-run"));
        expect(statSync(join(HOME, ".marketwright-run")).mode & 0o777).toBe(0o700);
        expect(() => runtimeDir({})).toThrow(/belongs to another user .*as the bot's user/);
      } finally {
        if (before === undefined) rmSync(taken, { recursive: true });
        else chownSync(taken, before.uid, before.gid);
      }
      expect(runtimeDir({ HOME })).toBe(taken);
    },
  );
});

describe("the lock of one bot per account", () => {
  const account = `0x${randomBytes(19).toString("hex")}fe` as const;
  const owner = (env = ownEnv(), stateDir = folder()) => ({ account, env, stateDir });

  it("refuses a second bot, in any spelling of the address, until the first has exited", async () => {
    const env = ownEnv();
    const lock = await lockAccount(owner(env));
    const again = { ...owner(env), account: `0x${account.slice(2).toUpperCase()}` as const };
    await expect(lockAccount(again)).rejects.toThrow(
      `another bot on this machine trades this account (process ${process.pid})`,
    );
    expect(isLocked(again, "bot")).toBe(true);
    expect(isLocked(again, "guard")).toBe(false);
    (await lockAccount(owner(env), "guard")).release();
    const other = await lockAccount({
      ...owner(env),
      account: `0x${randomBytes(20).toString("hex")}`,
    });
    lock.release();
    expect(isLocked(again, "bot")).toBe(false);
    (await lockAccount(owner(env))).release();
    other.release();
  });

  // A service does not have the variables of a login: `halt` reported that no bot runs, and the bot
  // continued.
  it("refuses a second bot of the same state folder, even with another user runtime directory", async () => {
    const stateDir = folder();
    const lock = await lockAccount(owner(ownEnv(), stateDir));
    const elsewhere = owner(ownEnv(), stateDir);
    expect(isLocked(elsewhere, "bot")).toBe(true);
    await expect(lockAccount(elsewhere)).rejects.toThrow(RunError);
    lock.release();
    (await lockAccount(elsewhere)).release();
  });

  it.skipIf(process.platform !== "linux")(
    "ignores a process that takes its name in the abstract socket namespace, as any user can",
    async () => {
      const squatters = ["bot", "guard"].map((role) =>
        createServer().listen(`\0marketwright-${role}-${account}`),
      );
      await Promise.all(squatters.map((server) => once(server, "listening")));
      const env = ownEnv();
      expect(isLocked(owner(env), "guard")).toBe(false);
      (await lockAccount(owner(env))).release();
      await Promise.all(squatters.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  );

  // A container that was killed restarts at once, and found itself: "another bot on this machine
  // trades this account (process 1)".
  it.skipIf(currentProcessName() === String(process.pid))(
    "waits until the lock of a killed container has expired",
    async () => {
      const stateDir = folder();
      const [, tick, boot] = currentProcessName().split(".");
      const lock = join(stateDir, "bot.lock");
      writeFileSync(lock, `1.${tick}.${boot}.1`);
      const seconds = clock.nowMs() / 1000 - 3.5;
      utimesSync(lock, seconds, seconds);
      const locked = await lockAccount(owner(ownEnv(), stateDir));
      expect(isLocked(owner(ownEnv(), stateDir), "bot")).toBe(true);
      locked.release();
    },
  );
});

describe("a user id without an entry in /etc/passwd", () => {
  it("can use the user runtime directory: containers run under any user id", () => {
    const { userInfo } = os;
    os.userInfo = () => {
      throw new Error("ENOENT: no such file or directory, uv_os_get_passwd");
    };
    syncBuiltinESMExports();
    try {
      expect(statSync(runtimeDir(ownEnv())).mode & 0o777).toBe(0o700);
    } finally {
      os.userInfo = userInfo;
      syncBuiltinESMExports();
    }
  });
});

describe("the request that changes values", () => {
  it("is the same from the command line and from the cockpit", () => {
    const request = {
      command: "set",
      changes: [{ path: "markets.btcusdc.params.halfSpreadBps", value: 5 }],
    } as const;
    expect(controlCommandSchema.parse(request)).toEqual({
      ...request,
      preview: false,
      save: false,
    });
    const sent = { ...request, preview: true, via: "cockpit" };
    expect(controlCommandSchema.parse(sent)).toEqual({ ...sent, save: false });
  });

  it.each([
    { command: "set" },
    { command: "set", changes: [{ path: "decide.everyMs" }] },
    { command: "set", changes: [{ path: "", value: 1 }] },
    { command: "set", changes: [{ path: "decide.everyMs", value: 1, unit: "ms" }] },
    { command: "set", changes: Array.from({ length: 201 }, () => ({ path: "a", value: 1 })) },
    { command: "reload", save: true },
  ])("is refused without a value, with an unknown key, and beyond its length", (request) => {
    expect(controlCommandSchema.safeParse(request).success).toBe(false);
  });
});
