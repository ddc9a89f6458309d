import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { protectSecret } from "#core/secrets.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog, openLog } from "#monitoring/log.js";
import { LogThrottle } from "#monitoring/log-throttle.js";

const KEY = `0x${"ab".repeat(32)}`;

function collecting() {
  const lines: string[] = [];
  const log = createLog(
    { write: (line) => lines.push(line) },
    { level: "debug", clock: new VirtualClock(1_000), fields: { bot: "b" } },
  );
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? "") as Record<string, unknown> };
}

describe("the log", () => {
  it("is one JSON object per line, stamped by the runtime's clock", () => {
    const { log, lines, last } = collecting();
    log.warn({ market: "btcusdc", ageMs: 2500 }, "book is stale");
    expect(last()).toEqual({
      level: "warn",
      time: 1000,
      bot: "b",
      market: "btcusdc",
      ageMs: 2500,
      msg: "book is stale",
    });
    expect(lines[0]?.endsWith("\n")).toBe(true);
  });

  it("takes bigints, which JSON does not", () => {
    const { log, last } = collecting();
    log.info({ equity: 12n, orders: [{ id: 5n }] }, "account");
    expect(last()).toMatchObject({ equity: "12", orders: [{ id: "5" }] });
  });

  it("keeps an error's message and cause", () => {
    const { log, last } = collecting();
    log.error({ error: new Error("gone", { cause: new Error("reset") }) }, "stream");
    expect(last()).toMatchObject({
      error: { type: "Error", message: expect.stringContaining("reset") },
    });
  });

  it.each([
    ["in the sentence", {}, `with ${KEY}`],
    ["without its prefix", {}, `with ${KEY.slice(2)}`],
    ["in upper case", {}, `with ${KEY.slice(2).toUpperCase()}`],
    ["in a field", { deep: { er: [KEY] } }, "x"],
    ["in an error", { error: new Error(KEY) }, "x"],
  ])("never shows the key: %s", (_name, fields, message) => {
    protectSecret(KEY);
    const { log, lines } = collecting();
    log.child({ module: KEY }).info(fields, message);
    expect(lines.join("").toLowerCase()).not.toContain("abababab");
    expect(lines.join("")).toContain("[secret]");
  });

  it("never shows a field that is named as a secret", () => {
    const { log, lines } = collecting();
    log.info({ account: { privateKey: "hush" }, password: "hush" }, "x");
    expect(lines.join("")).not.toContain("hush");
  });

  it("goes to a file that only its owner may read while the screen is up", () => {
    const file = join(mkdtempSync(join(tmpdir(), "marketwright-log-")), "bot.log");
    const log = openLog({ level: "info", clock: new VirtualClock(5), file });
    log.info({ a: 1 }, "one");
    log.debug({}, "below the level");
    log.close();
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ time: 5, a: 1, msg: "one" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("what is logged once a minute", () => {
  it("passes once a kind and interval, and then says how many it held back", async () => {
    const clock = new VirtualClock(0);
    const once = new LogThrottle(clock);
    expect(once.pass("bad json")).toBe(0);
    expect(once.pass("bad json")).toBeUndefined();
    expect(once.pass("wrong type")).toBe(0);
    await clock.runFor(59_999);
    expect(once.pass("bad json")).toBeUndefined();
    await clock.runFor(1);
    expect(once.pass("bad json")).toBe(2);
    expect(once.pass("bad json")).toBeUndefined();
  });

  it("is not fooled by a wall clock that steps", () => {
    const clock = new VirtualClock(0);
    const once = new LogThrottle(clock);
    once.pass("x");
    clock.stepWall(3_600_000);
    expect(once.pass("x")).toBeUndefined();
  });

  it("forgets the oldest kinds when a hostile source makes up new ones", () => {
    const once = new LogThrottle(new VirtualClock(0));
    for (let kind = 0; kind <= 1000; kind++) once.pass(String(kind));
    expect(once.pass("0")).toBe(0);
    expect(once.pass("1000")).toBeUndefined();
  });
});
