import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process id namespace of its own, as a container has one: no other sees whether it lives. */
const CONTAINER = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...CONTAINER, "true"]).status === 0;

/** Starts a command in a container of its own, and collects what it writes. */
function startInContainer(args: readonly string[], env: Record<string, string>) {
  const child = spawn("unshare", [...CONTAINER, process.execPath, command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  /** The process in the container: `unshare` forwards no signal. */
  const signal = (name: NodeJS.Signals): void => {
    const { pid } = child;
    const inside = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    process.kill(Number(inside), name);
  };
  return { said: () => text, ended, signal };
}

describe.skipIf(!hasNamespaces)("a container that stood still, and whose place was taken", () => {
  it("trades no more when it goes on, nor does its guard cancel: both end, and say why", async () => {
    const { file, env } = exchange.bot({
      extra: "logLevel: debug\nguard: { deadAfterMs: 60000, heartbeatMs: 250 }",
    });
    const bot = startInContainer(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const guard = startInContainer(["guard", file, "--json"], env);
    await until(guard.said, (said) => said.includes('"watching"'));
    for (const { signal } of [bot, guard]) signal("SIGSTOP");

    // Another container shares the state folder alone.
    const elsewhere = { ...env, XDG_RUNTIME_DIR: mkdtempSync(join(exchange.folder, "other-")) };
    const successor = startInContainer(["run", file, "--json"], elsewhere);
    const nextGuard = startInContainer(["guard", file, "--json"], elsewhere);
    await until(nextGuard.said, (said) => said.includes('"watching"'));
    await untilQuoting(file, elsewhere);

    const before = [bot, guard].map(({ said }) => said().length);
    for (const { signal } of [guard, bot]) signal("SIGCONT");
    expect(await Promise.all([bot.ended, guard.ended])).toEqual([1, 1]);
    const [after = "", guardAfter = ""] = [bot, guard].map(({ said }, at) =>
      said().slice(before[at]),
    );
    expect(after).toContain("this bot stood still, and another bot of its account has started");
    expect(after).not.toMatch(/"action":"place"/);
    expect(guardAfter).toContain("this guard stood still, and another guard of its account");
    expect(guardAfter).not.toContain('"cancelling"');

    await until(
      () => openOrders(file, elsewhere),
      ({ length }) => length >= 2,
    );
    for (const { signal } of [successor, nextGuard]) signal("SIGTERM");
    expect(await Promise.all([successor.ended, nextGuard.ended])).toEqual([0, 0]);
    expect(await openOrders(file, elsewhere)).toEqual([]);
  });
});
