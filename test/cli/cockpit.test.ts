import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ask, openPage } from "../cockpit/opened-cockpit.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
let command: string;
beforeAll(() => {
  command = builtCommand();
});

const children: ChildProcess[] = [];
const running: StartedRun[] = [];
afterEach(async () => {
  // One that hangs would outlive a test that failed.
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const run of running.splice(0)) {
    run.interrupt();
    await run.done;
  }
});

const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/#token=([A-Za-z0-9_-]{43})/;

/** Starts a bot as a user does, in its own process. */
function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal }));
  const says = (part: string | RegExp) =>
    until(
      () => text,
      (said) => (typeof part === "string" ? said.includes(part) : part.test(said)),
    );
  return { child, ended, says, said: () => text };
}

/**
 * Starts a bot in this process, for what a page or a command learns of one. Its log goes to this
 * process.
 */
function startHere(args: readonly string[], env: Record<string, string>) {
  const run: StartedRun = startCli(args, env);
  running.push(run);
  const says = (part: string | RegExp) =>
    until(
      () => run.said(),
      (said) => (typeof part === "string" ? said.includes(part) : part.test(said)),
    );
  return { interrupt: run.interrupt, ended: run.done, says };
}

/** Uses a link that was printed. @returns its port, and the cookie if it was accepted */
async function useLink(text: string) {
  const [, port = "", token = ""] = LINK.exec(text) ?? [];
  const answer = await ask({
    port: Number(port),
    method: "POST",
    path: "/session",
    headers: { "x-marketwright": "1" },
    body: JSON.stringify({ token }),
  });
  return {
    port: Number(port),
    token,
    status: answer.status,
    cookie: answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
  };
}

describe("a bot with a cockpit", () => {
  it("prints a link in a sentence, and the command prints further ones; each works once", async () => {
    const { file, env } = exchange.bot({ extra: "cockpit: { port: 0, control: true }" });
    const bot = start(["run", file, "--json"], env);
    const said = await bot.says(LINK);
    const line = said.split("\n").find((text) => LINK.test(text));
    expect(line).toMatch(
      /^marketwright: the cockpit is at http:\/\/127\.0\.0\.1:\d+\/#token=\S+ \(this link works once; marketwright cockpit prints another\)$/,
    );
    const first = await useLink(line ?? "");
    expect(first.status).toBe(200);
    expect((await useLink(line ?? "")).status).toBe(401);
    await untilQuoting(file, env);
    for (const args of [["cockpit"], ["cockpit", file], ["cockpit", file, "--json"]]) {
      const printed = await captureCli(args, env);
      expect(printed).toMatchObject({ code: 0, err: "" });
      const next = await useLink(printed.out);
      expect([next.status, next.port]).toEqual([200, first.port]);
      expect(next.token).not.toBe(first.token);
      if (args.includes("--json")) expect(Object.keys(JSON.parse(printed.out))).toEqual(["url"]);
      else expect(printed.out).toMatch(new RegExp(`^${LINK.source}\n$`));
    }
    // The log never has a link: only the line for the person has.
    expect(bot.said().split(first.token)).toHaveLength(2);

    const page = await openPage(first.port, first.cookie);
    await until(
      () => page.events,
      (events) => events.some(({ name }) => name === "frame"),
    );
    // The thread of the page has no key to give away.
    expect(JSON.stringify(page.events)).not.toContain(env.BOT_KEY.slice(2));
    page.close();
    bot.child.kill("SIGINT");
    expect(await bot.ended).toMatchObject({ code: 0 });
    expect(await openOrders(file, env)).toEqual([]);
  });

  it("trades without it while its port is taken, says so, and opens it once the port is free", async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { file, env } = exchange.bot({ extra: `cockpit: { port: ${port} }` });
    const bot = start(["run", file, "--json"], env);
    await untilQuoting(file, env);
    await bot.says(`cockpit.port: is in use (got ${port}); expected a free port, or 0 for any`);
    await bot.says("the bot trades without it, and it is started again");
    const refused = await captureCli(["cockpit", file], env);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("is in use")]);
    await new Promise((resolve) => taken.close(resolve));
    expect((await useLink(await bot.says(LINK))).status).toBe(200);
    bot.child.kill("SIGINT");
    expect(await bot.ended).toMatchObject({ code: 0 });
  });

  it("keeps its page up while a strategy does not return, and shows the age of the last frame", async () => {
    const made = exchange.bot({ extra: "cockpit: { port: 0 }", params: "{}" });
    const folder = join(made.file, "..");
    const loops = join(folder, "loops");
    writeFileSync(
      join(folder, "looping.ts"),
      `import { existsSync } from "node:fs";
import { defineStrategy, quoteAround } from "marketwright";
import { map } from "rxjs";
import { z } from "zod";

export default defineStrategy({
  params: z.object({}),
  create: () => (view$) => view$.pipe(map((view) => {
    while (existsSync(${JSON.stringify(loops)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return quoteAround(view, view.microPrice, { halfSpreadBps: 3, sizeBase: 0.02 });
  })),
});
`,
    );
    const text = readFileSync(made.file, "utf8");
    writeFileSync(made.file, text.replace("strategy: ladder", "strategy: ./looping.ts"));
    const bot = start(["run", made.file, "--json"], made.env);
    const { port, cookie } = await useLink(await bot.says(LINK));
    await untilQuoting(made.file, made.env);
    const page = await openPage(port, cookie);
    const count = (name: string) => page.events.filter((event) => event.name === name).length;
    await until(
      () => count("frame"),
      (frames) => frames >= 2,
    );
    writeFileSync(loops, "");
    // A busy machine may have been late with a frame before.
    const agesSinceFrame = () =>
      page.events
        .slice(page.events.findLastIndex(({ name }) => name === "frame") + 1)
        .filter(({ name }) => name === "age").length;
    await until(agesSinceFrame, (ages) => ages >= 3);
    const frames = count("frame");
    // Another page opens meanwhile and gets the last frame with its age.
    const late = await openPage(port, cookie);
    await until(
      () => late.events.filter(({ name }) => name === "frame"),
      (events) => events.length > 0,
    );
    const [shown] = late.events.filter(({ name }) => name === "frame");
    expect((shown?.data as { readonly ageMs: number } | undefined)?.ageMs).toBeGreaterThan(1_500);
    expect(count("frame")).toBe(frames);
    rmSync(loops);
    await until(
      () => count("frame"),
      (now) => now > frames,
    );
    page.close();
    late.close();
    bot.child.kill("SIGINT");
    await bot.ended;
  });

  it("takes a bot that was killed off the page of another, and a restarted one back on", async () => {
    const first = exchange.bot({ extra: "cockpit: { port: 0 }" });
    const made = exchange.bot({});
    const env = { ...made.env, XDG_RUNTIME_DIR: first.env.XDG_RUNTIME_DIR };
    const shower = startHere(["run", first.file, "--json"], first.env);
    const victim = start(["run", made.file, "--json"], env);
    const { port, cookie } = await useLink(await shower.says(LINK));
    const page = await openPage(port, cookie);
    const shown = () => {
      const bots = page.events.findLast(({ name }) => name === "bots")?.data ?? [];
      return (bots as readonly { readonly config: string; readonly phase: string }[])
        .filter(({ phase }) => phase === "running")
        .map(({ config }) => config)
        .sort();
    };
    const both = [first.file, made.file].sort();
    expect(await until(shown, (files) => files.length === 2)).toEqual(both);
    victim.child.kill("SIGKILL");
    await victim.ended;
    expect(await until(shown, (files) => files.length === 1)).toEqual([first.file]);
    expect(page.events.some(({ name }) => name === "gone")).toBe(true);
    const again = startHere(["run", made.file, "--json"], env);
    await until(shown, (files) => files.length === 2);
    page.close();
    again.interrupt();
    shower.interrupt();
    expect(await again.ended).toMatchObject({ code: 0 });
    expect(await shower.ended).toMatchObject({ code: 0 });
  });
});

describe("the command for a link", () => {
  it("says what to write into the file if no running bot has a cockpit, and finds another bot's", async () => {
    const { file, env } = exchange.bot({});
    expect(await captureCli(["cockpit"], env)).toMatchObject({
      code: 1,
      err: "marketwright: no bot of this user is running; expected marketwright run bot.yaml, or npm start\n",
    });
    const bot = startHere(["run", file, "--json"], env);
    await untilQuoting(file, env);
    for (const args of [["cockpit"], ["cockpit", file]])
      expect(await captureCli(args, env)).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining(
          `expected the line cockpit: { port: 8630, control: true } in ${file}, and a restart of its bot`,
        ),
      });
    const shower = exchange.bot({ extra: "cockpit: { port: 0 }" });
    const shared = { ...shower.env, XDG_RUNTIME_DIR: env.XDG_RUNTIME_DIR };
    const other = startHere(["run", shower.file, "--json"], shared);
    await other.says(LINK);
    const printed = await captureCli(["cockpit", file], env);
    expect(printed).toMatchObject({
      code: 0,
      err: `marketwright: ${file} has no open cockpit; this one, of ${shower.file}, shows its bot too\n`,
    });
    expect((await useLink(printed.out)).status).toBe(200);
    for (const one of [bot, other]) {
      one.interrupt();
      expect(await one.ended).toMatchObject({ code: 0 });
    }
  });

  it("is refused by a file with a wrong port, a host or an unknown key", async () => {
    for (const [extra, part] of [
      ["cockpit: { port: 65536 }", "cockpit.port"],
      ["cockpit: { port: -1 }", "cockpit.port"],
      ["cockpit: { port: 1.5 }", "cockpit.port"],
      ["cockpit: {}", "cockpit.port"],
      ["cockpit: { port: 8630, control: yes please }", "cockpit.control"],
      ["cockpit: { port: 8630, host: 0.0.0.0 }", "host: unknown key"],
    ] as const) {
      const { file, env } = exchange.bot({ extra });
      expect(await captureCli(["run", file], env)).toMatchObject({
        code: 2,
        err: expect.stringContaining(part),
      });
    }
  });
});
