import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sendControlRequest } from "#bot/control-client.js";
import { controlSocketPath } from "#bot/control-server.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
const { clock } = createLiveRuntime();

function auditOf(directory: string): readonly Record<string, unknown>[] {
  return readFileSync(join(directory, "audit.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("the audit file", () => {
  it("has a line of each command with its origin and its outcome, whether the bot runs or not", async () => {
    const { file, env, stateDir } = exchange.bot({ extra: "cockpit: { port: 0, control: true }" });
    const journal = join(stateDir(), "..", "..", "run.journal");
    expect(await captureCli(["halt", file, "--reason", "before"], env)).toMatchObject({ code: 0 });
    const running = startCli(["run", file, "--json", "--journal", journal], env);
    await until(
      () => captureCli(["status", file, "--json"], env),
      ({ code }) => code === 0,
    );
    expect(await captureCli(["resume", file], env)).toMatchObject({ code: 0, err: "" });
    await untilQuoting(file, env);
    const path = controlSocketPath(stateDir(), env);
    const via = "cockpit" as const;
    await sendControlRequest(path, { command: "halt", reason: "by the page", via }, clock);
    await sendControlRequest(path, { command: "resume", marketId: "btcusdc", via }, clock);
    await sendControlRequest(path, { command: "resume", via }, clock);
    await expect(
      sendControlRequest(path, { command: "halt", marketId: "nope", via }, clock),
    ).rejects.toThrow("is not a market");
    await sendControlRequest(path, { command: "preview", of: { command: "flatten" } }, clock);
    await captureCli(["flatten", file, "--max-slippage-bps", "7"], env);
    running.interrupt();
    expect(await running.done).toMatchObject({ code: 0 });
    expect(await captureCli(["resume", file], env)).toMatchObject({ code: 0 });

    const line = (by: string, command: Record<string, unknown>, outcome = "ok") =>
      expect.objectContaining({ atMs: expect.any(Number), via: by, command, outcome });
    expect(auditOf(stateDir())).toEqual([
      line("command-line", { command: "halt", reason: "before" }),
      line("command-line", { command: "resume" }),
      line("cockpit", { command: "halt", reason: "by the page" }),
      line("cockpit", { command: "resume", marketId: "btcusdc" }),
      line("cockpit", { command: "resume" }),
      line(
        "cockpit",
        { command: "halt", marketId: "nope", reason: "requested by the operator" },
        "error",
      ),
      line("command-line", { command: "flatten", maxSlippageBps: 7 }),
      line("command-line", { command: "resume" }),
    ]);
    expect(auditOf(stateDir())[5]?.error).toContain("is not a market of this bot");
    expect(statSync(join(stateDir(), "audit.jsonl")).mode & 0o777).toBe(0o600);
    // The commands of the page are turns like any other.
    expect(await captureCli(["replay", journal, "--quiet"])).toMatchObject({ code: 0 });
    expect(readFileSync(journal, "utf8")).toContain("by the page");
  });

  it("cannot keep a halt from being carried out: the answer and the log say that it is not written", async () => {
    const { file, env, stateDir } = exchange.bot();
    const running = startCli(["run", file, "--json"], env);
    await untilQuoting(file, env);
    mkdirSync(join(stateDir(), "audit.jsonl"));
    const halted = await captureCli(["halt", file], env);
    expect(halted.code).toBe(0);
    expect(halted.err).toMatch(
      /^marketwright: done, but not in the audit file: .*audit\.jsonl cannot be written: .*\n$/,
    );
    await until(
      () => openOrders(file, env),
      ({ length }) => length === 0,
    );
    rmSync(join(stateDir(), "audit.jsonl"), { recursive: true });
    expect(await captureCli(["resume", file], env)).toMatchObject({ code: 0, err: "" });
    expect(auditOf(stateDir())).toHaveLength(1);
    running.interrupt();
    expect((await running.done).code).toBe(0);
  });

  it("begins anew at a megabyte and keeps the file before, and completes a line that a crash cut short", async () => {
    const { file, env, stateDir } = exchange.bot();
    mkdirSync(stateDir(), { recursive: true, mode: 0o700 });
    chmodSync(stateDir(), 0o700);
    const path = join(stateDir(), "audit.jsonl");
    writeFileSync(path, `{"atMs":1,"via":"command-line"}\n{"atMs":2,"comm`, { mode: 0o600 });
    await captureCli(["halt", file], env);
    expect(auditOf(stateDir()).map(({ atMs }) => Number(atMs) > 1)).toEqual([false, true]);
    const full = `${JSON.stringify({ atMs: 3, text: "x".repeat(1 << 20) })}\n`;
    writeFileSync(path, full, { mode: 0o600 });
    await captureCli(["resume", file], env);
    expect(auditOf(stateDir())).toMatchObject([{ command: { command: "resume" } }]);
    expect(readFileSync(`${path}.1`, "utf8")).toBe(full);
  });

  it("refuses a page's command unless the bot's file allows it, and writes that down too", async () => {
    const { file, env, stateDir } = exchange.bot({ extra: "cockpit: { port: 0 }" });
    const running = startCli(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const path = controlSocketPath(stateDir(), env);
    for (const command of ["halt", "resume", "flatten"] as const)
      await expect(sendControlRequest(path, { command, via: "cockpit" }, clock)).rejects.toThrow(
        `cockpit.control: is not true, so that a cockpit may not ${command} this bot`,
      );
    await untilQuoting(file, env);
    expect(auditOf(stateDir()).map(({ via, outcome }) => [via, outcome])).toEqual(
      Array.from({ length: 3 }, () => ["cockpit", "error"]),
    );
    running.interrupt();
    expect((await running.done).code).toBe(0);
  });
});
