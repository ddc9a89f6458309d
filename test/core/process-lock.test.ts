import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ProcessLock } from "#core/process-lock.js";
import { until } from "../cli/until.js";
import { builtCommand } from "../support/built-command.js";

const STARTERS = 50;
/** As many holders are killed, one after the other. */
const KILLS = 30;

/** Tries to take the lock whenever a line comes, and answers with one. */
const STARTER = `
const { ProcessLock } = await import(process.argv[2]);
process.stdin.setEncoding("utf8").on("data", () => {
  const lock = ProcessLock.take(process.argv[3]);
  process.stdout.write(typeof lock === "number" ? "held by " + lock + "\\n" : "taken\\n");
  if (typeof lock !== "number") lock.whenLost(() => process.stdout.write("lost\\n"));
});
process.stdout.write("up\\n");
`;

let folder: string;
const children = new Set<ChildProcess>();
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "mw-process-lock-")));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  rmSync(folder, { recursive: true, force: true });
});

async function answers(of: Iterable<ChildProcess>): Promise<ReadonlyMap<ChildProcess, string>> {
  return new Map(
    await Promise.all(
      [...of].map(
        async (child) =>
          [child, String((await once(child.stdout ?? child, "data"))[0]).trim()] as const,
      ),
    ),
  );
}

// Two bots of one account double every order.
it("is taken by exactly one of fifty processes that come at once, each time that its holder was killed", async () => {
  const program = join(folder, "starter.mjs");
  writeFileSync(program, STARTER);
  const source = new URL("../dist/core/files/process-lock.js", pathToFileURL(builtCommand())).href;
  const path = join(folder, "bot.lock");
  for (let started = 0; started < STARTERS; started++)
    children.add(
      spawn(process.execPath, [program, source, path], { stdio: ["pipe", "pipe", "inherit"] }),
    );
  await answers(children);
  for (let kills = 0; kills < KILLS; kills++) {
    const answered = answers(children);
    for (const child of children) child.stdin?.write("go\n");
    const said = await answered;
    const [holder, ...others] = [...said]
      .filter(([, answer]) => answer === "taken")
      .map(([child]) => child);
    expect(others).toEqual([]);
    expect(new Set(said.values())).toEqual(new Set(["taken", `held by ${holder?.pid}`]));
    expect(ProcessLock.holder(path)).toBe(holder?.pid);
    holder?.kill("SIGKILL");
    if (holder !== undefined) {
      await once(holder, "exit");
      children.delete(holder);
    }
    expect(ProcessLock.holder(path)).toBeUndefined();
  }
  const last = ProcessLock.take(path);
  expect(last).toBeInstanceOf(ProcessLock);
  if (last instanceof ProcessLock) last.release();
  expect(readdirSync(folder)).toEqual(["starter.mjs"]);
});

/** No process has an id so large. */
const [NOBODY, NOBODY_EITHER] = ["2147483646", "2147483645"];

function successor(path: string, name: string): string {
  return `${path}.after-${createHash("sha256").update(name).digest("hex").slice(0, 16)}`;
}

it("is free behind a holder and a successor who were both killed, and leaves nothing of them", () => {
  const path = join(folder, "bot.lock");
  writeFileSync(path, NOBODY);
  writeFileSync(successor(path, NOBODY), NOBODY_EITHER);
  expect(ProcessLock.holder(path)).toBeUndefined();
  const lock = ProcessLock.take(path);
  expect(readdirSync(folder)).toEqual(["bot.lock"]);
  expect(ProcessLock.take(path)).toBe(process.pid);
  if (lock instanceof ProcessLock) lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

it("is not held by a process that placed itself behind a holder who is not in the chain any more", () => {
  const path = join(folder, "bot.lock");
  writeFileSync(successor(path, NOBODY), String(process.ppid));
  expect(ProcessLock.holder(path)).toBeUndefined();
  const lock = ProcessLock.take(path);
  expect(ProcessLock.holder(path)).toBe(process.pid);
  if (lock instanceof ProcessLock) lock.release();
});

it("is held by the successor of a dead holder, also before that has moved to the first place", () => {
  const path = join(folder, "bot.lock");
  writeFileSync(path, NOBODY);
  writeFileSync(successor(path, NOBODY), String(process.ppid));
  expect(ProcessLock.holder(path)).toBe(process.ppid);
  expect(ProcessLock.take(path)).toBe(process.ppid);
});

const showsStates = existsSync("/proc/self/stat");

// As process 1 of a container mostly does: the bot would never start again in it.
it.skipIf(!showsStates)(
  "is free once its holder was killed, even if the holder's parent never asks for its end",
  async () => {
    const program = join(folder, "holder.mjs");
    writeFileSync(
      program,
      `const { ProcessLock } = await import(process.argv[2]);
      ProcessLock.take(process.argv[3]);
      process.stdout.write(process.pid + "\\n");
      setInterval(() => {}, 1000);`,
    );
    const source = new URL("../dist/core/files/process-lock.js", pathToFileURL(builtCommand()))
      .href;
    const path = join(folder, "bot.lock");
    // The shell becomes a program that knows nothing of the holder, its child.
    const parent = spawn(
      "sh",
      ["-c", '"$@" & exec sleep 600', "sh", process.execPath, program, source, path],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    children.add(parent);
    const [pid] = await once(parent.stdout, "data");
    expect(ProcessLock.holder(path)).toBe(Number(pid));
    process.kill(Number(pid), "SIGKILL");
    await until(
      () => readFileSync(`/proc/${Number(pid)}/stat`, "utf8"),
      (stat) => stat.includes(") Z "),
    );
    expect(ProcessLock.holder(path)).toBeUndefined();
  },
);

/** A process id namespace of its own, as a container has one: its program is process 1 there. */
const CONTAINER = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...CONTAINER, "true"]).status === 0;

// Two containers share the state folder, and cannot see each other's processes.
it.skipIf(!hasNamespaces)(
  "is held over containers that share its folder, and a paused one that loses it learns of that",
  async () => {
    const program = join(folder, "starter.mjs");
    writeFileSync(program, STARTER);
    const source = new URL("../dist/core/files/process-lock.js", pathToFileURL(builtCommand()))
      .href;
    const path = join(folder, "bot.lock");
    const [first, second] = [0, 1].map(() => {
      const child = spawn("unshare", [...CONTAINER, process.execPath, program, source, path], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      children.add(child);
      return child;
    });
    if (first === undefined || second === undefined) throw new Error("two containers");
    await answers([first, second]);
    const ask = async (child: ChildProcess): Promise<string | undefined> => {
      const answered = answers([child]);
      child.stdin?.write("go\n");
      return (await answered).get(child);
    };
    expect(await ask(first)).toBe("taken");
    for (let times = 0; times < 8; times++) {
      expect(await ask(second)).toBe("held by 1");
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }

    const inside = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, "utf8").trim();
    process.kill(Number(inside), "SIGSTOP");
    let answer: string | undefined;
    while (answer !== "taken") {
      await new Promise((resolve) => setTimeout(resolve, 500));
      answer = await ask(second);
    }
    const lost = answers([first]);
    process.kill(Number(inside), "SIGCONT");
    expect((await lost).get(first)).toBe("lost");
    // Whoever lost it takes nothing from its new holder.
    expect(await ask(first)).toBe("held by 1");
  },
);
