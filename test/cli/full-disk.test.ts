import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
let command: string;
beforeAll(() => {
  command = builtCommand();
});

const children: ChildProcess[] = [];
afterEach(() => {
  // One that hangs would outlive a test that failed.
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts a command whose log is on a disk that is full. */
function startWithFullDisk(args: readonly string[], env: Record<string, string>) {
  const full = openSync("/dev/full", "w");
  const child: ChildProcess = spawn(process.execPath, [command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", full],
  });
  closeSync(full);
  children.push(child);
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  return { child, said: () => out, ended };
}

describe.skipIf(process.platform !== "linux")("a disk that is full under the log", () => {
  it("ends no bot: it quotes, and cancels its orders before it leaves", async () => {
    const { file, env } = exchange.bot();
    const { child, said, ended } = startWithFullDisk(["run", file, "--json"], env);
    await untilQuoting(file, env);
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    const summary = JSON.parse(said());
    expect(summary).toMatchObject({ openOrdersLeft: 0, ordersLeft: [] });
    expect(summary.ordersPlaced).toBeGreaterThanOrEqual(2);
  });

  it("ends no guard: it cancels what its dead bot left", async () => {
    const { file, env } = exchange.bot({ extra: "guard: { deadAfterMs: 1000, heartbeatMs: 250 }" });
    const bot = startWithFullDisk(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const guard = startWithFullDisk(["guard", file, "--json"], env);
    await until(
      () => guard.said(),
      (said) => said.includes('"watching"'),
    );
    bot.child.kill("SIGKILL");
    await until(
      () => guard.said(),
      (said) => said.includes('"safe"'),
    );
    expect(await openOrders(file, env)).toEqual([]);
    guard.child.kill("SIGTERM");
    expect(await guard.ended).toBe(0);
  });
});
