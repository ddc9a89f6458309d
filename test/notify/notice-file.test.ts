import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import type { Notice } from "#notify/notice.js";
import { NoticeFile } from "#notify/notice-file.js";
import { NoticeReader } from "#notify/notice-reader.js";

let path: string;
let failures: unknown[];
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), "mw-notices-")), "notices.jsonl");
  failures = [];
});

const clock = new VirtualClock(Date.UTC(2026, 0, 5));
const open = () => new NoticeFile({ path, clock, onFailure: (error) => failures.push(error) });
const notice = (title: string, severity: Notice["severity"] = "critical"): Notice => ({
  atMs: 1,
  severity,
  kind: "halt",
  title,
});
const titles = (read: { readonly notices: readonly Notice[] }) =>
  read.notices.map(({ title }) => title);

describe("the file of a bot's events", () => {
  it("gives a reader each event once, over restarts of both", () => {
    const first = open();
    first.append(notice("a"));
    const reader = new NoticeReader(path);
    const one = reader.read(undefined);
    first.append(notice("b"));
    const two = reader.read(one.position);
    first.close();
    const second = open();
    second.append(notice("c"));
    const three = new NoticeReader(path).read(two.position);
    second.close();
    expect([titles(one), titles(two), titles(three)]).toEqual([["a"], ["b"], ["c"]]);
    expect(three.missing).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is bounded, and a reader that was away for too long counts what it has missed", () => {
    const writer = open();
    writer.append(notice("first"));
    const reader = new NoticeReader(path);
    const { position } = reader.read(undefined);
    const most = 10_000;
    for (let at = 0; at < most; at++) writer.append(notice(`${at} ${"x".repeat(400)}`));
    writer.close();
    const bytes = statSync(path).size + statSync(`${path}.1`).size;
    expect(bytes).toBeLessThan(2.1 * (1 << 20));
    const late = reader.read(position);
    expect(titles(late).at(-1)).toContain(`${most - 1} x`);
    expect(late.missing).toBeGreaterThan(1000);
    expect(late.missing + late.notices.length).toBe(most);
  });

  it("loses nothing to a reader that keeps up while files change", () => {
    const writer = open();
    const reader = new NoticeReader(path);
    let position: Parameters<NoticeReader["read"]>[0];
    let count = 0;
    for (let at = 0; at < 9_000; at++) {
      writer.append(notice(`${at} ${"x".repeat(400)}`));
      if (at % 700 !== 0) continue;
      const read = reader.read(position);
      position = read.position;
      count += read.notices.length;
      expect(read.missing).toBe(0);
    }
    count += reader.read(position).notices.length;
    writer.close();
    expect(count).toBe(9_000);
  });

  it("takes every halt in a flood of lesser events, which it counts", () => {
    const writer = open();
    for (let at = 0; at < 10_000; at++) writer.append(notice("noise", "warning"));
    writer.append(notice("drawdown"));
    writer.close();
    const read = new NoticeReader(path).read(undefined);
    expect(titles(read).at(-1)).toBe("drawdown");
    expect(read.notices.length).toBe(201);
    expect(read.missing).toBe(9_800);
  });

  it("ends no bot if it cannot be written, and has what waited once it can", () => {
    mkdirSync(path);
    const writer = open();
    writer.append(notice("a"));
    writer.append(notice("b"));
    expect(failures).toHaveLength(2);
    rmSync(path, { recursive: true });
    writer.append(notice("c"));
    writer.close();
    const read = new NoticeReader(path).read(undefined);
    expect(titles(read)).toEqual(["a", "b", "c"]);
    expect(read.missing).toBe(0);
  });

  it("holds no more than some hundreds of them in memory, and counts the others", () => {
    mkdirSync(path);
    const writer = open();
    for (let at = 0; at < 1_000; at++) writer.append(notice(String(at)));
    rmSync(path, { recursive: true });
    writer.close();
    const read = new NoticeReader(path).read({ epoch: clock.nowMs(), number: 0 });
    expect(titles(read).at(-1)).toBe("999");
    expect(read.notices).toHaveLength(200);
    expect(read.missing).toBe(800);
  });
});
