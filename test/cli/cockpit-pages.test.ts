import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { controlSocketPath } from "#bot/control-server.js";
import type { Frame } from "#bot/frame.js";
import { addRunningBotEntry } from "#bot/running-bots.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { type EventPage, OpenedCockpit } from "../cockpit/opened-cockpit.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
const { clock } = createLiveRuntime();
const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Listed {
  readonly id: string;
  readonly config: string;
  readonly account: string;
  readonly phase: string;
  readonly control: boolean;
}

async function openCockpit(env: Record<string, string>): Promise<OpenedCockpit> {
  const cockpit = await OpenedCockpit.start(env);
  closing.push(() => cockpit.close());
  return cockpit;
}

/** Starts a bot; it is stopped at the end of the test. */
async function startBot(
  changes: Parameters<CommandedExchange["bot"]>[0],
  runtimeDir?: string,
): Promise<ReturnType<CommandedExchange["bot"]> & { readonly running: StartedRun }> {
  const made = exchange.bot(changes);
  const env = runtimeDir === undefined ? made.env : { ...made.env, XDG_RUNTIME_DIR: runtimeDir };
  const bot = { ...made, env };
  const running = startCli(["run", bot.file, "--json"], bot.env);
  closing.push(async () => {
    running.interrupt();
    await running.done;
  });
  await untilQuoting(bot.file, bot.env);
  return { ...bot, running };
}

const botsOf = (page: EventPage): readonly Listed[] =>
  (page.events.findLast(({ name }) => name === "bots")?.data ?? []) as readonly Listed[];
const framesOf = (page: EventPage, id?: string) =>
  page.events
    .filter(({ name }) => name === "frame")
    .map(
      ({ data }) => data as { readonly id: string; readonly ageMs: number; readonly frame: Frame },
    )
    .filter((event) => id === undefined || event.id === id);

async function untilFrames(page: EventPage, id: string, count: number): Promise<void> {
  await until(
    () => framesOf(page, id).length,
    (seen) => seen >= count,
  );
}

const CONTROLLED = { extra: "cockpit: { port: 0, control: true }" };

describe("the pages of a cockpit", () => {
  it("show each bot of this user once it runs until it ends, with the status that the command line prints", async () => {
    const first = await startBot(CONTROLLED);
    const folder = first.env.XDG_RUNTIME_DIR;
    const cockpit = await openCockpit(first.env);
    const page = await cockpit.page(await cockpit.session());
    expect(page.status).toBe(200);
    await until(
      () => framesOf(page).length,
      (count) => count > 0,
    );
    const second = await startBot({}, folder);
    await until(
      () => botsOf(page),
      (bots) => bots.filter(({ phase }) => phase === "running").length === 2,
    );
    const found = (file: string) => botsOf(page).find(({ config }) => config === file);
    const [one, two] = [found(first.file), found(second.file)];
    expect([one?.control, two?.control]).toEqual([true, false]);
    expect(one?.account).toMatch(/^0x[0-9a-f]{40}$/i);
    const id = two?.id ?? "";
    await untilFrames(page, id, 2);

    // The page and the command line agree on everything that a halted bot does not change.
    await captureCli(["halt", first.file], first.env);
    await until(
      () => openOrders(first.file, first.env),
      ({ length }) => length === 0,
    );
    const printed = JSON.parse((await captureCli(["status", first.file, "--json"], first.env)).out);
    const shown = (await lastFrame(page, one?.id ?? "")).status;
    for (const key of ["config", "account", "phase", "halts", "activeHalts"])
      expect([key, (shown as unknown as Record<string, unknown>)[key]]).toEqual([
        key,
        printed[key],
      ]);

    second.running.interrupt();
    expect((await second.running.done).code).toBe(0);
    await until(
      () => page.events.filter(({ name }) => name === "gone").map(({ data }) => data),
      (gone) => gone.length > 0,
    );
    expect(page.events.filter(({ name }) => name === "gone").map(({ data }) => data)).toEqual([
      { id },
    ]);
    expect(botsOf(page).map(({ config }) => config)).toEqual([first.file]);
    const text = JSON.stringify(page.events);
    for (const { key } of [first, second]) expect(text).not.toContain(key.slice(2));
  });

  it("share one connection to the bot, which does nothing while no page is open, up to 32 of them", async () => {
    const bot = await startBot(CONTROLLED);
    const cockpit = await openCockpit(bot.env);
    const counted = countingProxy(bot);
    await counted.listening;
    const cookie = await cockpit.session();
    await sleep(1_500);
    expect(counted.watches()).toBe(0);
    const pages: EventPage[] = [];
    for (let opened = 0; opened < 32; opened++) pages.push(await cockpit.page(cookie));
    expect(pages.every(({ status }) => status === 200)).toBe(true);
    const refused = await cockpit.get("/events", { cookie });
    expect([refused.status, refused.text]).toEqual([
      503,
      expect.stringContaining("32 pages are open"),
    ]);
    for (const page of pages)
      await until(
        () => framesOf(page).length,
        (count) => count >= 2,
      );
    expect(counted.watches()).toBe(1);
    // Each page gets what the others get.
    const turn = (page: EventPage) =>
      JSON.stringify(framesOf(page).at(-2)?.frame.status.equityQuote);
    expect(turn(pages[0] as EventPage)).toBeTruthy();
    for (const page of pages.slice(1)) page.close();
    await sleep(1_500);
    expect(counted.watches()).toBe(1);
    pages[0]?.close();
    await until(
      () => counted.open(),
      (open) => open === 0,
    );
    await sleep(1_500);
    expect([counted.open(), counted.watches()]).toEqual([0, 1]);
  });

  it("show a bot that many others watch as soon as it has a place again", async () => {
    const bot = await startBot(CONTROLLED);
    const cockpit = await openCockpit(bot.env);
    const path = controlSocketPath(bot.stateDir(), bot.env);
    const others = Array.from({ length: 8 }, () => {
      const socket = createConnection(path);
      socket.on("error", () => {});
      socket.write('{"command":"watch"}\n');
      return socket.resume();
    });
    await until(
      () => others.filter(({ bytesRead }) => bytesRead > 0).length,
      (count) => count === 8,
    );
    const page = await cockpit.page(await cockpit.session());
    await until(
      () => JSON.stringify(botsOf(page)),
      (text) => text.includes("too many connections watch this bot"),
    );
    expect(framesOf(page)).toEqual([]);
    others[0]?.destroy();
    await until(
      () => framesOf(page).length,
      (count) => count >= 2,
    );
    expect(JSON.stringify(botsOf(page))).not.toContain("trouble");
    for (const socket of others) socket.destroy();
    page.close();
  });

  it("keep nothing for a page that does not read, and give it the newest frames afterwards", async () => {
    const bot = await startBot(CONTROLLED);
    const cockpit = await openCockpit(bot.env);
    const flood = floodingBot(bot.env, 700_000);
    await flood.listening;
    const cookie = await cockpit.session();
    const reading = await cockpit.page(cookie);
    const stalled = await cockpit.page(cookie);
    stalled.response.pause();
    await until(
      () => framesOf(reading, flood.idIn(reading)).length,
      (count) => count >= 40,
    );
    const sent = framesOf(reading, flood.idIn(reading)).length;
    expect(framesOf(stalled, flood.idIn(reading)).length).toBeLessThan(sent / 2);
    stalled.response.resume();
    const numberOf = (event: { readonly frame: Frame }) =>
      (event.frame as unknown as { readonly number: number }).number;
    await until(
      () => framesOf(stalled, flood.idIn(reading)).map(numberOf),
      (numbers) => (numbers.at(-1) ?? 0) > sent,
    );
    const numbers = framesOf(stalled, flood.idIn(reading)).map(numberOf);
    expect(numbers.length).toBeLessThan((numbers.at(-1) ?? 0) - 10);
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    reading.close();
    stalled.close();
    await flood.close();
  });

  it("show the age of the last frame of a bot that does not answer any more, and go on with the others", async () => {
    const bot = await startBot(CONTROLLED);
    const cockpit = await openCockpit(bot.env);
    const flood = floodingBot(bot.env, 10);
    await flood.listening;
    const page = await cockpit.page(await cockpit.session());
    await until(
      () => flood.idIn(page),
      (id) => id !== "",
    );
    const id = flood.idIn(page);
    await untilFrames(page, id, 2);
    flood.hangs();
    const own = () =>
      page.events.filter(({ data }) => (data as { readonly id?: string }).id === id);
    // A busy machine may have been late with a frame before.
    const ages = () =>
      own()
        .slice(own().findLastIndex(({ name }) => name === "frame") + 1)
        .filter(({ name }) => name === "age")
        .map(({ data }) => (data as { readonly ageMs: number }).ageMs);
    await until(ages, (seen) => seen.length >= 3);
    expect(ages()).toEqual([...ages()].sort((a, b) => a - b));
    expect(ages()[0]).toBeGreaterThan(1_500);
    const other = botsOf(page).find((listed) => listed.id !== id)?.id ?? "";
    const before = framesOf(page, other).length;
    await untilFrames(page, other, before + 2);
    // It is still listed, and a page that is opened now learns how old its frame is.
    const late = await cockpit.page(await cockpit.session());
    await untilFrames(late, id, 1);
    expect(framesOf(late, id)[0]?.ageMs).toBeGreaterThan(1_500);
    expect(botsOf(page)).toHaveLength(2);
    page.close();
    late.close();
    await flood.close();
  });
});

describe("a command of a page", () => {
  it("is previewed, refused until the name is typed, carried out, and written into the audit file", async () => {
    const bot = await startBot(CONTROLLED);
    const cockpit = await openCockpit(bot.env);
    const cookie = await cockpit.session();
    const page = await cockpit.page(cookie);
    await until(
      () => framesOf(page).length,
      (count) => count > 0,
    );
    const { id = "", account = "" } = botsOf(page)[0] ?? {};
    const request = { command: "halt", marketId: "btcusdc", reason: "seen on the page" };
    const preview = await cockpit.post("/preview", { id, request }, { cookie });
    expect([preview.status, JSON.parse(preview.text)]).toMatchObject([
      200,
      { ok: true, data: { command: "halt", markets: [{ marketId: "btcusdc" }] } },
    ]);
    for (const confirm of ["", "btcusd", "BTCUSDC", "all", account])
      expect((await cockpit.post("/command", { id, request, confirm }, { cookie })).status).toBe(
        409,
      );
    const whole = { command: "halt" };
    const unconfirmed = await cockpit.post(
      "/command",
      { id, request: whole, confirm: "btcusdc" },
      { cookie },
    );
    expect([unconfirmed.status, unconfirmed.text]).toEqual([
      409,
      expect.stringContaining(`Type all, or the account ${account}, to confirm`),
    ]);
    // It was not halted.
    await untilQuoting(bot.file, bot.env);

    const done = await cockpit.post("/command", { id, request, confirm: "btcusdc" }, { cookie });
    expect([done.status, JSON.parse(done.text)]).toMatchObject([
      200,
      { ok: true, data: { outcome: { command: "halt", marketIds: ["btcusdc"] } } },
    ]);
    await until(
      () => openOrders(bot.file, bot.env),
      ({ length }) => length === 0,
    );
    const refused = await cockpit.post(
      "/command",
      {
        id,
        request: { command: "flatten", marketId: "btcusdc", sliceBase: "x" },
        confirm: "btcusdc",
      },
      { cookie },
    );
    expect([refused.status, JSON.parse(refused.text)]).toMatchObject([200, { ok: false }]);
    const resumed = await cockpit.post(
      "/command",
      { id, request: { command: "resume" }, confirm: account.toUpperCase().replace("0X", "0x") },
      { cookie },
    );
    expect(resumed.status).toBe(200);
    await untilQuoting(bot.file, bot.env);

    // Other values are confirmed by their market, if they are all of one.
    const change = (key: string) => ({ path: key, value: "not a value of any key" });
    for (const [changes, expected] of [
      [[change("markets.btcusdc.params.x"), change("markets.btcusdc.limits.y")], "btcusdc"],
      [[change("markets.btcusdc.params.x"), change("markets.ethusdc.params.x")], account],
      [[change("risk.maxDrawdownQuote")], account],
    ] as const)
      for (const confirm of ["btcusdc", "all", account]) {
        const request = { command: "set", changes };
        const { status } = await cockpit.post("/command", { id, request, confirm }, { cookie });
        const isRight = (confirm === "btcusdc") === (expected === "btcusdc");
        expect([confirm, status]).toEqual([confirm, isRight ? 200 : 409]);
      }

    for (const command of ["status", "watch", "preview", "cockpit-link", "stop", "__proto__"])
      expect(
        (
          await cockpit.post(
            "/command",
            { id, request: { command, marketId: "btcusdc" }, confirm: "btcusdc" },
            { cookie },
          )
        ).status,
      ).toBe(400);
    expect(
      (await cockpit.post("/command", { id: "none", request, confirm: "btcusdc" }, { cookie }))
        .status,
    ).toBe(404);
    const audit = readFileSync(join(bot.stateDir(), "audit.jsonl"), "utf8").trimEnd().split("\n");
    expect(audit.map((line) => JSON.parse(line))).toMatchObject([
      { via: "cockpit", command: request, outcome: "ok" },
      { via: "cockpit", command: { command: "resume" }, outcome: "ok" },
      ...Array.from({ length: 5 }, () => ({
        via: "cockpit",
        command: { command: "set" },
        outcome: "error",
      })),
    ]);
    page.close();
  });

  it("is refused for a bot whose file does not allow it, before and after its frames have come", async () => {
    const bot = await startBot({ extra: "cockpit: { port: 0 }" });
    const cockpit = await openCockpit(bot.env);
    const cookie = await cockpit.session();
    const page = await cockpit.page(cookie);
    await until(
      () => framesOf(page).length,
      (count) => count > 0,
    );
    const { id = "" } = botsOf(page)[0] ?? {};
    const request = { command: "halt", marketId: "btcusdc" };
    const send = () => cockpit.post("/command", { id, request, confirm: "btcusdc" }, { cookie });
    const shown = await send();
    expect([shown.status, shown.text]).toEqual([403, expect.stringContaining("control: true")]);
    expect((await cockpit.post("/preview", { id, request }, { cookie })).status).toBe(403);
    page.close();
    await sleep(300);
    // No page is open: the bot itself refuses.
    expect((await send()).status).toBe(403);
    // It was not halted.
    await untilQuoting(bot.file, bot.env);
  });
});

/** The next frame of a bot. */
async function lastFrame(page: EventPage, id: string): Promise<Frame> {
  const before = framesOf(page, id).length;
  await untilFrames(page, id, before + 2);
  const newest = framesOf(page, id).at(-1);
  if (newest === undefined) throw new Error("there is no frame");
  return newest.frame;
}

function listens(server: Server, path: string, then: () => Promise<void>): Promise<void> {
  closing.push(async () => server.close());
  return new Promise((resolve, reject) => {
    server.listen(path, () => then().then(resolve, reject));
  });
}

/** Stands between the cockpit and a bot's control socket, and counts. */
function countingProxy({ env, stateDir, file }: Awaited<ReturnType<typeof startBot>>) {
  const target = controlSocketPath(stateDir(), env);
  const path = join(env.XDG_RUNTIME_DIR, "proxy.sock");
  let watches = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = createConnection(target);
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      upstream.destroy();
    });
    for (const one of [socket, upstream]) one.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      if (chunk.toString().includes('"watch"')) watches++;
      upstream.write(chunk);
    });
    upstream.pipe(socket);
  });
  const listening = listens(server, path, async () => {
    // The bot's own entry goes, so that the cockpit finds the proxy in its place.
    const folder = join(env.XDG_RUNTIME_DIR, "marketwright");
    for (const name of readdirSync(folder)) if (name.endsWith(".json")) rmSync(join(folder, name));
    addRunningBotEntry(
      { pid: process.pid, config: file, account: "0xproxy", socketPath: path },
      env,
    );
  });
  return { listening, watches: () => watches, open: () => sockets.size };
}

/** A second bot that answers each watch with frames of a size, faster than a bot does. */
function floodingBot(env: Record<string, string>, bytes: number) {
  const path = join(env.XDG_RUNTIME_DIR, "flood.sock");
  const sockets = new Set<Socket>();
  let number = 0;
  let isHanging = false;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", () => send(socket));
  });
  const send = (socket: Socket): void => {
    if (isHanging || socket.destroyed) return;
    const data = {
      status: { phase: "running" },
      control: false,
      number: ++number,
      text: "x".repeat(bytes),
    };
    if (socket.writableLength === 0) socket.write(`${JSON.stringify({ ok: true, data })}\n`);
    clock.setTimer(50, () => send(socket));
  };
  const config = join(env.XDG_RUNTIME_DIR, "flood.yaml");
  const listening = listens(server, path, async () => {
    addRunningBotEntry({ pid: process.pid, config, account: "0xflood", socketPath: path }, env);
  });
  return {
    listening,
    hangs: () => {
      isHanging = true;
    },
    idIn: (page: EventPage) => botsOf(page).find((bot) => bot.config === config)?.id ?? "",
    close: async () => {
      isHanging = true;
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
