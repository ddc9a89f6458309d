import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ControlCommand } from "../../src/bot/control/control-protocol.js";
import { type ControlServer, startControlServer } from "../../src/bot/control/control-server.js";
import { enterRunningBot } from "../../src/bot/state/running-bots.js";
import { ConfigError, RunError } from "../../src/core/errors.js";
import { captureCli } from "./captured-cli.js";

const open: ControlServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function runningBot(answer: (command: ControlCommand) => unknown) {
  const folder = mkdtempSync(join(tmpdir(), "mw-"));
  const env = { XDG_RUNTIME_DIR: folder };
  const heard: ControlCommand[] = [];
  const server = await startControlServer(join(folder, "c.sock"), async (command) => {
    heard.push(command);
    return answer(command);
  });
  open.push(server);
  enterRunningBot({ pid: process.pid, config: "/bots/a.yaml", account: "0xa", socketPath: server.socketPath }, env);
  return { env, heard };
}

describe("what is said to a running bot", () => {
  it("is understood, whichever bot is meant by being the only one", async () => {
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

  it("is answered as text for people and as JSON for machines", async () => {
    const { env } = await runningBot(() => ({ equityQuote: "100000.5", halted: [], markets: { btcusdc: { positionBase: "0.02" } } }));
    expect((await captureCli(["status"], env)).out).toBe(
      'equityQuote: "100000.5"\nhalted: []\nmarkets:\n  btcusdc:\n    positionBase: "0.02"\n',
    );
    expect(JSON.parse((await captureCli(["status", "--json"], env)).out)).toMatchObject({ markets: { btcusdc: { positionBase: "0.02" } } });
  });

  it("fails with exit code 1 when the bot could not, or none runs", async () => {
    const { env } = await runningBot(() => {
      throw new RunError("the position is flat already");
    });
    expect(await captureCli(["flatten"], env)).toEqual({ code: 1, out: "", err: "marketwright: the position is flat already\n" });
    const nobody = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), "mw-")) };
    expect(await captureCli(["status"], nobody)).toMatchObject({ code: 1, err: expect.stringContaining("no bot of this user is running") });
    expect(await captureCli(["status", "/bots/b.yaml"], env)).toMatchObject({ code: 1, err: expect.stringContaining("/bots/a.yaml") });
  });

  it("is refused with exit code 2 when it is wrong in itself", async () => {
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
      expect(await captureCli(args, env)).toMatchObject({ code: 2, err: expect.stringContaining(`${flag}: is not what it should be`) });
    }
    expect(heard).toEqual([]);
  });

  it("is refused with exit code 2 when the bot says that it was asked wrongly", async () => {
    const { env } = await runningBot(() => {
      throw new ConfigError("is no market of this bot", { field: "marketId", value: "nope", expected: "one of btcusdc" });
    });
    expect(await captureCli(["halt", "--market", "nope"], env)).toEqual({
      code: 2,
      out: "",
      err: 'marketwright: marketId: is no market of this bot (got "nope"); expected one of btcusdc\n',
    });
  });
});
