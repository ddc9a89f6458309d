import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { hotp } from "#notify/totp.js";
import {
  LocalService,
  slackAnswer,
  TELEGRAM_TOKEN,
  TelegramService,
} from "../notify/chat-services.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";
import { CommandedExchange, untilQuoting } from "./commanded-exchange.js";
import { until } from "./until.js";

const exchange = new CommandedExchange();
const { clock } = createLiveRuntime();
let command: string;
const hook = new LocalService(() => ({ status: 200, text: "" }));
const hung = new LocalService(() => new Promise(() => {}));
const slack = new LocalService(slackAnswer);
const telegram = new TelegramService();
const services = [hook, hung, slack, telegram];
beforeAll(async () => {
  command = builtCommand();
  for (const service of services) await service.open();
});
afterAll(() => {
  for (const service of services) service.close();
});

const HOOK_SECRET = "hook-secret-of-the-tests-0001";
const HOOK_PATH = "hook-path-of-the-tests-000000001";
const TOTP = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const ALICE = 11;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts a command in its own process; its log is kept. */
function start(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, log: () => log, ended };
}

const WEBHOOK = "{ webhook: { urlEnv: HOOK, secretEnv: HOOK_SECRET }, digestMs: 0, from: info }";
function notifyingBot(channels: string, more = "", extra = "") {
  const { file, env, key, stateDir } = exchange.bot({
    extra: `${extra}
guard: { deadAfterMs: 2000, heartbeatMs: 250 }
notify: { ${more} channels: { ${channels} } }`,
  });
  const own = {
    HOOK: `${hook.url}/${HOOK_PATH}`,
    HUNG: `${hung.url}/in`,
    HOOK_SECRET,
    SLACK: `${slack.url}/services/slack-path-of-the-tests-01`,
    TOKEN: TELEGRAM_TOKEN,
    TOTP,
  };
  return { file, env: { ...env, ...own }, key, stateDir };
}

/** The titles of all events that the webhook got. */
const titles = (): readonly string[] =>
  hook.posted.flatMap(({ body }) =>
    (body.events as { readonly title: string }[]).map(({ title }) => title),
  );
const untilTold = (part: string) =>
  until(titles, (all) => all.some((title) => title.includes(part)));

describe("the messages of a bot", () => {
  it("tell its halt with the command that lifts it, its death and its return, past a channel that hangs, and hold no secret", async () => {
    hook.posted.length = 0;
    const { file, env, key } = notifyingBot(
      `hangs: { webhook: { urlEnv: HUNG, secretEnv: HOOK_SECRET }, from: info }, pager: ${WEBHOOK}`,
    );
    const bot = start(["run", file, "--json"], env);
    await until(bot.log, (log) => log.includes("nothing sends the bot's events"));
    await untilQuoting(file, env);
    const guard = start(["guard", file, "--json"], env);
    await until(guard.log, (log) => log.includes("the guard sends the bot's events"));
    await untilTold("the bot runs");
    expect(await captureCli(["halt", file, "--market", "btcusdc"], env)).toMatchObject({ code: 0 });
    await untilTold("btcusdc halted: manual");
    await captureCli(["resume", file], env);
    await untilTold("btcusdc no longer halted: manual");
    bot.child.kill("SIGKILL");
    await untilTold("the bot is dead or hangs");
    await untilTold("the guard has cancelled the dead bot's orders");
    const again = start(["run", file, "--json"], env);
    await untilTold("the bot is back");
    again.child.kill("SIGTERM");
    expect(await again.ended).toBe(0);
    await untilTold("the bot has stopped");
    guard.child.kill("SIGTERM");
    expect(await guard.ended).toBe(0);

    const events = hook.posted.flatMap(({ body }) => body.events as Record<string, unknown>[]);
    expect(events.find(({ kind }) => kind === "guard-safe")?.text).toContain(
      "A position stays open, and nobody manages it",
    );
    const halt = events.find(({ kind }) => kind === "halt");
    expect(halt?.command).toBe(`marketwright resume ${file} --market btcusdc`);
    expect(titles().filter((title) => title.includes("is dead"))).toHaveLength(1);
    const everything = [
      ...hook.posted.map(({ raw }) => raw),
      ...[bot, guard, again].map(({ log }) => log()),
    ].join("\n");
    for (const secret of [key.slice(2), HOOK_SECRET, HOOK_PATH])
      expect(everything).not.toContain(secret);
  });

  it("are sent without a guard and without room for the sender's state, and one process sends", async () => {
    hook.posted.length = 0;
    const { file, env, stateDir } = notifyingBot(`pager: ${WEBHOOK}`);
    mkdirSync(stateDir(), { recursive: true, mode: 0o700 });
    mkdirSync(join(stateDir(), "notify.json"));
    const sender = start(["notify", file], env);
    await until(sender.log, (log) => log.includes("sending the bot's events"));
    const second = await captureCli(["notify", file], env);
    expect(second).toMatchObject({ code: 1 });
    expect(second.err).toContain("another process on this machine sends this account's events");
    const bot = start(["run", file, "--json"], env);
    await untilTold("the bot runs");
    // On a full disk the bot could not say so itself.
    await untilTold("the sender cannot write into the state folder");
    bot.child.kill("SIGTERM");
    expect(await bot.ended).toBe(0);
    await untilTold("the bot has stopped");
    sender.child.kill("SIGTERM");
    expect(await sender.ended).toBe(0);
    expect(sender.log()).toContain("a step of the sender failed");
  });

  it("let an allowed user halt and flatten from a chat, written into the audit file", async () => {
    const { file, env, stateDir } = notifyingBot(
      `phone: { telegram: { tokenEnv: TOKEN, chatId: 5, allowedIds: [${ALICE}], url: "${telegram.url}" } }`,
      "control: true, totpSecretEnv: TOTP,",
    );
    const bot = start(["run", file, "--json"], env);
    await untilQuoting(file, env);
    const sender = start(["notify", file], env);
    const write = (text: string) =>
      telegram.write({ text, from: ALICE, chat: 5, date: Math.floor(clock.nowMs() / 1000) });
    const untilAnswered = (part: string) =>
      until(
        () => telegram.sent.map(({ text }) => text),
        (all) => all.some((text) => text.includes(part)),
      );
    write("/status");
    // Quoting or waiting: a bot whose quote was just taken waits for a moment.
    await untilAnswered("btcusdc: ");
    expect(telegram.sent.map(({ text }) => text).join("\n")).not.toMatch(/\b1 (bids|asks)\b/);
    write("/halt");
    await untilAnswered("Halted:");
    write("/halt ethusdc");
    await untilAnswered("is not a market of this bot");
    const key = Buffer.from("12345678901234567890");
    const code = hotp(key, Math.floor(clock.nowMs() / 30_000));
    write(`/flatten ${code}`);
    await untilAnswered("Flat");
    const audit = readFileSync(join(stateDir(), "audit.jsonl"), "utf8");
    const lines = audit
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      lines.map(({ via, command: { command: name }, outcome }) => [via, name, outcome]),
    ).toEqual([
      ["chat", "halt", "ok"],
      ["chat", "halt", "error"],
      ["chat", "flatten", "ok"],
    ]);
    const everything = [audit, bot.log(), sender.log(), JSON.stringify(telegram.sent)].join("\n");
    for (const secret of [code, TELEGRAM_TOKEN, TOTP]) expect(everything).not.toContain(secret);
  });
});

describe("notify --test", () => {
  it("says of each channel whether its message arrived, and why not", async () => {
    const { file, env } = notifyingBot(
      `team: { slack: { urlEnv: SLACK } }, pager: ${WEBHOOK}, lost: { discord: { urlEnv: NOWHERE } }`,
    );
    const { code, out } = await captureCli(["notify", file, "--test"], env);
    expect(code).toBe(1);
    expect(out).toMatch(/team +slack +arrived/);
    expect(out).toMatch(/pager +webhook +arrived/);
    expect(out).toMatch(/lost +discord +failed: .*not set \(got "NOWHERE"\)/);
    const json = await captureCli(["notify", file, "--test", "--json"], {
      ...env,
      NOWHERE: `${slack.url}/none-of-discord`,
    });
    expect(JSON.parse(json.out).channels[2]).toMatchObject({ arrived: false, service: "discord" });
  });
});

describe("check of a file with notify", () => {
  it("names each channel whose secret is missing, without one of them", async () => {
    const { file, env } = notifyingBot(
      `team: { slack: { urlEnv: SLACK } }, lost: { discord: { urlEnv: NOWHERE } }`,
    );
    const { code, out } = await captureCli(["check", file], env);
    expect(code).toBe(1);
    expect(out).toMatch(/ok +notify\.channels\.team +slack, from warning/);
    expect(out).toMatch(/error +notify\.channels\.lost .*NOWHERE/);
    expect(out).not.toContain(env.SLACK);
  });

  it.each([
    ["pager: {}", "names no service"],
    ["pager: { slack: { urlEnv: A }, discord: { urlEnv: B } }", "names two services"],
    ["pager: { slack: { urlEnv: A, colour: red } }", "unknown key"],
    ["pager: { telegram: { tokenEnv: A, chatId: me } }", "is of the wrong type"],
    ['pager: { telegram: { tokenEnv: A, chatId: 1, url: "ftp://x" } }', "has the wrong scheme"],
    [
      'mail: { email: { host: mx.example.com, tls: none, from: "a@b.c", to: ["d@e.f"] } }',
      "would send the mail in the clear",
    ],
  ])("refuses %s, and says what would be right", async (channels, why) => {
    const { file, env } = notifyingBot(channels);
    const { code, err } = await captureCli(["check", file], env);
    expect(code).toBe(2);
    expect(err).toContain("notify.channels.");
    expect(err).toContain(why);
  });

  it.each([
    ["timeZone: Mars/Base,", "is not a time zone"],
    ["dailySummaryAt: 7am,", "has the wrong form"],
    ["control: true,", "is missing beside control"],
    ["control: true, totpSecretEnv: TOTP,", "has no chat with allowedIds"],
  ])("refuses %s as well", async (more, why) => {
    const { file, env } = notifyingBot("team: { slack: { urlEnv: SLACK } }", more);
    const { code, err } = await captureCli(["check", file], env);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });

  it("refuses a daily summary without the day files that it is made of", async () => {
    const slack = "team: { slack: { urlEnv: SLACK } }";
    const { file, env } = notifyingBot(
      slack,
      'dailySummaryAt: "07:00",',
      "days: { record: false }",
    );
    const { code, err } = await captureCli(["check", file], env);
    expect(code).toBe(2);
    expect(err).toContain("notify.dailySummaryAt: needs the day files");
  });
});
