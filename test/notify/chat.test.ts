import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { ChatCommands, type CommandedBot } from "#notify/chat-commands.js";
import { type ChatState, chatStateSchema } from "#notify/chat-state.js";
import { JsonPoster } from "#notify/json-poster.js";
import type { Notice } from "#notify/notice.js";
import { OneTimePasswords } from "#notify/one-time-passwords.js";
import { TelegramChannel } from "#notify/telegram-channel.js";
import { TelegramChat } from "#notify/telegram-chat.js";
import { decodeTotpSecret, hotp } from "#notify/totp.js";
import { until } from "../cli/until.js";
import { TELEGRAM_TOKEN, TelegramService } from "./chat-services.js";

const runtime = createLiveRuntime();
const { clock } = runtime;
const KEY = Buffer.from("12345678901234567890");
const STEP_MS = 30_000;
const codeAt = (nowMs: number) => hotp(KEY, Math.floor(nowMs / STEP_MS));

describe("one-time passwords", () => {
  it("are those of every app: the vectors of RFC 6238, appendix B", () => {
    const vectors: [seconds: number, code: string][] = [
      [59, "94287082"],
      [1111111109, "07081804"],
      [1111111111, "14050471"],
      [1234567890, "89005924"],
      [2000000000, "69279037"],
      [20000000000, "65353130"],
    ];
    for (const [seconds, code] of vectors)
      expect(hotp(KEY, Math.floor(seconds / 30), 8)).toBe(code);
    expect(decodeTotpSecret("gezd gnbv GY3T QOJQ GEZDGNBVGY3TQOJQ")).toEqual(KEY);
    expect(() => decodeTotpSecret("GEZDGNBVGY3TQOJ1")).toThrow("is not base32");
    expect(() => decodeTotpSecret("GEZDGNBVGY3TQOJQ")).toThrow("is too short");
  });

  it("are accepted once, a step early or late, also after a restart", () => {
    const state = chatStateSchema.parse({});
    const nowMs = 1_700_000_000_000;
    const passwords = () => new OneTimePasswords(KEY, state);
    expect(passwords().check(codeAt(nowMs - STEP_MS), nowMs)).toBe("right");
    expect(passwords().check(codeAt(nowMs), nowMs)).toBe("right");
    expect(passwords().check(codeAt(nowMs), nowMs)).toBe("wrong");
    expect(passwords().check(codeAt(nowMs - STEP_MS), nowMs)).toBe("wrong");
    expect(passwords().check(codeAt(nowMs + 2 * STEP_MS), nowMs)).toBe("wrong");
  });

  it("are locked for 15 minutes by five wrong ones, so that nobody tries them all", () => {
    const passwords = new OneTimePasswords(KEY, chatStateSchema.parse({}));
    const nowMs = 1_700_000_000_000;
    const wrong = Array.from({ length: 5 }, () => passwords.check("000000", nowMs));
    expect(wrong).toEqual(["wrong", "wrong", "wrong", "wrong", "locks"]);
    const later = nowMs + 899_999;
    expect(passwords.check(codeAt(later), later)).toBe("locked");
    const after = nowMs + 900_000;
    expect(passwords.check(codeAt(after), after)).toBe("right");
  });
});

let telegram: TelegramService;
beforeEach(async () => {
  telegram = await new TelegramService().open();
});
afterEach(() => telegram.close());

const CHAT = -100;
const ALICE = 11;
const MALLORY = 66;

/** A chat whose bot notes the commands that it gets. */
function openChat({ control = true }: { readonly control?: boolean } = {}) {
  const done: string[] = [];
  const refused: string[] = [];
  const logged: string[] = [];
  const notices: Notice[] = [];
  const state: ChatState = chatStateSchema.parse({});
  const note = async (text: string) => {
    done.push(text);
    return `done: ${text}`;
  };
  const bot: CommandedBot = {
    status: () => note("status"),
    halt: (marketId = "all", reason) => note(`halt ${marketId}: ${reason}`),
    flatten: (marketId = "all") => note(`flatten ${marketId}`),
    auditRefusal: (command, reason) => refused.push(`${JSON.stringify(command)} ${reason}`),
  };
  const commands = new ChatCommands({
    bot,
    clock,
    passwords: control ? new OneTimePasswords(KEY, state) : undefined,
    save: () => {},
    notify: (notice) => notices.push(notice),
  });
  const channel = new TelegramChannel(
    { url: telegram.url, token: TELEGRAM_TOKEN, chatId: CHAT, timeZone: "UTC" },
    new JsonPoster(clock),
  );
  const log = (fields: object, message: string) =>
    logged.push(`${message} ${JSON.stringify(fields)}`);
  const chat = new TelegramChat({
    name: "phone",
    channel,
    chatId: CHAT,
    allowedIds: [ALICE],
    handle: (text, userId) => commands.handle(text, userId),
    runtime,
    log: { info: log, warn: log },
    state,
    save: () => {},
  });
  chat.start();
  const stop = () => {
    chat.stop();
    channel.close();
  };
  return { done, refused, logged, notices, state, stop };
}

const write = (text: string, { from = ALICE, chat = CHAT, ageMs = 0 } = {}) =>
  telegram.write({ text, from, chat, date: Math.floor((clock.nowMs() - ageMs) / 1000) });
const answers = () => telegram.sent.map(({ text }) => text);
const untilAnswered = (count: number) => until(answers, ({ length }) => length >= count);

describe("a chat", () => {
  it("shows the status and halts, for allowed users in this chat alone, and never resumes", async () => {
    const chat = openChat();
    write("/halt", { from: MALLORY });
    write("/halt", { chat: MALLORY });
    write("halt");
    write("/status@our_bot");
    write("/halt btcusdc");
    write("/resume");
    await untilAnswered(3);
    chat.stop();
    expect(chat.done).toEqual(["status", `halt btcusdc: requested in a chat by user ${ALICE}`]);
    expect(answers()[2]).toContain("Nothing is resumed from a chat");
    expect(telegram.sent.every(({ chat_id: id }) => id === CHAT)).toBe(true);
    const ignored = chat.logged.filter((line) => line.includes("are ignored"));
    expect(ignored).toHaveLength(1);
  });

  it("flattens with a code that was not used, writes refusals down, and tells of guessing", async () => {
    const chat = openChat();
    const code = codeAt(clock.nowMs());
    write("/flatten btcusdc");
    write(`/flatten btcusdc ${code}`);
    write(`/flatten btcusdc ${code}`);
    await untilAnswered(3);
    expect(chat.done).toEqual(["flatten btcusdc"]);
    expect(answers()[2]).toContain("wrong, or was used before");
    for (let tries = 0; tries < 5; tries++) write("/flatten 000000");
    await untilAnswered(8);
    chat.stop();
    expect(answers()[6]).toContain("no code is accepted for 15 minutes");
    expect(chat.notices).toMatchObject([{ severity: "critical", kind: "control-locked" }]);
    expect(chat.refused).toHaveLength(7);
    expect([...chat.refused, ...chat.logged].join()).not.toContain(code);
    expect(chat.done).toHaveLength(1);
  });

  it("flattens nothing unless the bot's file allows it", async () => {
    const chat = openChat({ control: false });
    write(`/flatten ${codeAt(clock.nowMs())}`);
    await untilAnswered(1);
    chat.stop();
    expect(answers()[0]).toContain("notify.control is not true");
    expect(chat.done).toEqual([]);
  });

  it("executes no command from before an outage, and says so once", async () => {
    write("/halt", { ageMs: 62_000 });
    write("/flatten 123456", { ageMs: 3_600_000 });
    const chat = openChat();
    await untilAnswered(1);
    write("/status");
    await untilAnswered(2);
    chat.stop();
    expect(answers()[0]).toContain("2 commands older than a minute: not executed");
    expect(chat.done).toEqual(["status"]);
  });
});
