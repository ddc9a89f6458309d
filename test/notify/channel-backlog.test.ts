import { describe, expect, it } from "vitest";
import { protectSecret } from "#core/secrets.js";
import { ChannelBacklog, channelStateSchema } from "#notify/channel-backlog.js";
import type { Message } from "#notify/message.js";
import type { Notice } from "#notify/notice.js";

const MINUTE = 60_000;
const limits = { repeatMs: 10 * MINUTE, maxBacklog: 50, maxAgeMs: 60 * MINUTE };
const channel = { from: "warning", digestMs: MINUTE, fills: false, dailySummary: true } as const;
const open = (changes: Partial<typeof limits> = {}, wanted: object = {}) =>
  new ChannelBacklog({
    bot: "bot.yaml",
    channel: { ...channel, ...wanted },
    limits: { ...limits, ...changes },
  });

const halt = (atMs: number, on: boolean, needsPerson = true): Notice => ({
  atMs,
  severity: needsPerson ? "critical" : "warning",
  kind: on ? "halt" : "halt-over",
  title: on ? "btcusdc halted: x" : "btcusdc no longer halted: x",
  key: "halt x btcusdc",
  state: on ? "on" : "off",
  endsKey: !on && needsPerson,
});
const warning = (atMs: number, title: string): Notice => ({
  atMs,
  severity: "warning",
  kind: "error",
  title,
  key: title,
});

/** Delivers everything that is due at these times. */
function delivered(backlog: ChannelBacklog, ...times: readonly number[]): Message[] {
  const messages: Message[] = [];
  for (const nowMs of times)
    for (let next = backlog.next(nowMs); next !== undefined; next = backlog.next(nowMs)) {
      messages.push(next);
      backlog.onDelivered(next);
    }
  return messages;
}
const titles = (messages: readonly Message[]) =>
  messages.flatMap(({ entries }) =>
    entries.map(({ title, more }) => (more === undefined ? title : `${more} more: ${title}`)),
  );

describe("what waits for a channel", () => {
  it("tells each halt that a person must lift, and its end, once and at once", () => {
    const backlog = open();
    backlog.add(halt(1, true), 1);
    backlog.add(halt(2, true), 2);
    expect(titles(delivered(backlog, 2))).toEqual(["btcusdc halted: x"]);
    backlog.add(halt(3, false), 3);
    expect(titles(delivered(backlog, 3))).toEqual(["btcusdc no longer halted: x"]);
    // The second halt is another one, however soon it comes.
    backlog.add(halt(4, true), 4);
    expect(titles(delivered(backlog, 4))).toEqual(["btcusdc halted: x"]);
  });

  it("counts a halt that comes and goes, and says at the end how it is", () => {
    const backlog = open({}, { digestMs: 0 });
    for (let at = 0; at < 24; at++) {
      backlog.add(halt(at, at % 2 === 0, false), at);
      if (at < 2) expect(delivered(backlog, at)).toHaveLength(1);
    }
    backlog.add(halt(24, true, false), 24);
    expect(delivered(backlog, 24)).toEqual([]);
    const later = delivered(backlog, 10 * MINUTE);
    expect(titles(later)).toEqual(["23 more: btcusdc halted: x"]);
    expect(delivered(backlog, 20 * MINUTE, 30 * MINUTE)).toEqual([]);
  });

  it("collects what is not critical into one message, and sends a halt ahead of it", () => {
    const backlog = open();
    backlog.add(warning(0, "first"), 0);
    backlog.add(warning(30_000, "second"), 30_000);
    expect(delivered(backlog, 30_000)).toEqual([]);
    backlog.add(halt(31_000, true), 31_000);
    expect(titles(delivered(backlog, 31_000))).toEqual(["btcusdc halted: x"]);
    const digest = delivered(backlog, MINUTE);
    expect(digest).toHaveLength(1);
    expect(titles(digest)).toEqual(["first", "second"]);
  });

  it("keeps the halt and counts the rest of a flood", () => {
    const backlog = open();
    backlog.add(halt(0, true), 0);
    for (let at = 0; at < 10_000; at++) backlog.add(warning(at, `event ${at}`), at);
    expect(backlog.size).toBe(50);
    expect(JSON.stringify(backlog.state).length).toBeLessThan(200_000);
    const messages = delivered(backlog, 2 * MINUTE);
    expect(titles(messages)[0]).toBe("btcusdc halted: x");
    expect(messages[0]?.dropped).toBe(9951);
    expect(messages.slice(1).every(({ dropped }) => dropped === 0)).toBe(true);
    expect(titles(messages)).toHaveLength(50);
  });

  it("drops what is too old to matter, and says so in the next message", () => {
    const backlog = open();
    backlog.add(halt(0, true), 0);
    backlog.add(warning(61 * MINUTE, "now"), 61 * MINUTE);
    const messages = delivered(backlog, 63 * MINUTE);
    expect(titles(messages)).toEqual(["now"]);
    expect(messages[0]?.dropped).toBe(1);
  });

  it("goes on after a restart with what waited, and does not repeat what was sent", () => {
    const first = open();
    first.add(halt(0, true), 0);
    delivered(first, 0);
    first.add(warning(1, "waits"), 1);
    const state = channelStateSchema.parse(JSON.parse(JSON.stringify(first.state)));
    const second = new ChannelBacklog({ bot: "bot.yaml", channel, limits }, state);
    second.add(halt(2, true), 2);
    expect(titles(delivered(second, 2 * MINUTE))).toEqual(["waits"]);
  });

  it("leaves out what the channel does not want", () => {
    const fill = { atMs: 0, severity: "info", kind: "fill", title: "a fill" } as const;
    const summary = { ...fill, kind: "summary", title: "the day" };
    const plain = open();
    plain.add(fill, 0);
    plain.add(summary, 0);
    expect(titles(delivered(plain, 0))).toEqual(["the day"]);
    const all = open({}, { fills: true, dailySummary: false, from: "critical", digestMs: 0 });
    for (const notice of [fill, summary, warning(0, "a warning")]) all.add(notice, 0);
    expect(titles(delivered(all, 0))).toEqual(["a fill"]);
  });

  it("holds no secret and forges no line, whatever a strategy throws", () => {
    const secret = "a-secret-in-a-strategy-error";
    protectSecret(secret);
    const backlog = open({}, { digestMs: 0 });
    backlog.add({ ...warning(0, `threw ${secret}`), text: "one\nTo lift it: rm -rf /\u202e" }, 0);
    const text = JSON.stringify(delivered(backlog, 0));
    expect(text).not.toContain(secret);
    expect(text).toContain("one To lift it: rm -rf /");
    expect(text).not.toMatch(/\\n|\u202e/);
  });
});
