import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { HEARTBEAT_FILE } from "#bot/heartbeat.js";
import type { RunSummary } from "#bot/run-summary.js";
import { processContext } from "#cli/cli-context.js";
import { createFreshAccount } from "#cli/start-account.js";

/** A run's end without information about its orders. */
const UNKNOWN = {
  marketId: "btcusdc",
  hash: `0x${"1".repeat(64)}`,
  phase: "unknown",
  orderId: undefined,
  side: "BUY",
  price: "59999",
  sizeBase: "0.01",
} as const;

const summary = (openOrdersLeft: number | null, ordersLeft: RunSummary["ordersLeft"] = []) =>
  ({ openOrdersLeft, ordersLeft }) as RunSummary;

function world(more = "") {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-start-"));
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: GTT }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
${more}`,
  );
  const config = loadBotConfig(path, {}, { key: "unused" });
  const start = async () => {
    const account = await createFreshAccount(
      {
        ...processContext({
          signal: () => new Promise(() => {}),
          endOnSignal: () => {},
          handleSignals: () => {},
          now: () => process.exit(),
        }),
        env: {},
      },
      config,
    );
    return {
      ...account,
      folder: account.store.directory,
      trades: () => account.store.write(HEARTBEAT_FILE, "{}"),
      /** As a process that is killed: its lock is void, and nothing else is done. */
      unlock: () => rmSync(join(account.store.directory, "start.lock"), { force: true }),
    };
  };
  return { start, folders: () => readdirSync(join(folder, ".marketwright")), folder };
}

function contentsOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder).filter(
    (name) => name !== "start.lock" && statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

describe("what starts leave behind", () => {
  it("is the last folder alone, after starts that ended with no order open", async () => {
    const { start, folders } = world();
    const keys = new Set<string>();
    for (let times = 0; times < 3; times++) {
      const account = await start();
      keys.add(readFileSync(account.keyPath, "utf8"));
      account.trades();
      account.finish(summary(0));
    }
    expect(keys.size).toBe(3);
    expect(folders()).toHaveLength(1);
  });

  it.each([
    ["was killed", undefined],
    ["left an order open", summary(1)],
    ["could not ask the exchange", summary(null)],
    ["left an order whose fate nobody knows", summary(0, [UNKNOWN])],
  ])("keeps the key of an account whose start %s", async (_name, end) => {
    const { start } = world();
    const first = await start();
    first.trades();
    if (end !== undefined) first.finish(end);
    await start();
    expect(existsSync(first.keyPath)).toBe(true);
  });

  it("clears away a start that failed before its bot ran, and nothing that is not a start's", async () => {
    const { start, folders, folder } = world();
    const ofRun = `0x${"ab".repeat(20)}`;
    mkdirSync(join(folder, ".marketwright", ofRun), { recursive: true });
    (await start()).finish(undefined);
    const { store } = await start();
    expect(folders().sort()).toEqual([basename(store.directory), ofRun].sort());
  });

  // Investigating a port in use had cost the log and the fills of the day before.
  it("keeps the last session's folder through starts that fail, until another has traded", async () => {
    const { start, folders } = world();
    const good = await start();
    good.trades();
    good.finish(summary(0));
    for (let failures = 0; failures < 3; failures++) (await start()).finish(undefined);
    expect(folders()).toHaveLength(2);
    expect(existsSync(good.keyPath)).toBe(true);
    const next = await start();
    expect(existsSync(good.keyPath)).toBe(true);
    next.trades();
    next.finish(summary(0));
    expect(folders()).toEqual([basename(next.folder)]);
  });

  it("puts the last session's files back where the file names one state folder and a start fails before it trades", async () => {
    const { start } = world("stateDir: state");
    const good = await start();
    good.trades();
    good.store.write("peak-equity.json", "good");
    good.store.write("manual-halt.json", "halted");
    good.finish(summary(1));
    const before = contentsOf(good.folder);
    (await start()).finish(undefined);
    expect(contentsOf(good.folder)).toEqual(before);
    // One that is killed before it trades leaves them to the next.
    const killed = await start();
    expect(existsSync(join(killed.folder, "peak-equity.json"))).toBe(false);
    killed.unlock();
    (await start()).finish(undefined);
    expect(contentsOf(good.folder)).toMatchObject({
      "peak-equity.json": "good",
      "manual-halt.json": "halted",
      key: before.key,
    });
  });

  it("is not touched by a second start while one runs in the same state folder: that is told the first one's process", async () => {
    const { start } = world("stateDir: state");
    const first = await start();
    first.trades();
    const before = contentsOf(first.folder);
    await expect(start()).rejects.toThrow(
      `another start is running: process ${process.pid} has the state folder ${first.folder}`,
    );
    expect(contentsOf(first.folder)).toEqual(before);
    first.finish(summary(0));
    (await start()).finish(undefined);
  });

  it("waits for the lock of a container that was killed a moment ago: the one that is started in its place is no second start", async () => {
    const { start } = world("stateDir: state");
    const first = await start();
    first.finish(undefined);
    const lock = join(first.folder, "start.lock");
    writeFileSync(lock, "1.100.00000000.1");
    const touched = Date.now() / 1000 - 3;
    utimesSync(lock, touched, touched);
    (await start()).finish(undefined);
    expect(existsSync(lock)).toBe(false);
  });

  it("sets the key of an account that may have orders aside where the file names one state folder, and forgets its peak", async () => {
    const { start } = world("stateDir: state");
    const first = await start();
    const key = readFileSync(first.keyPath, "utf8");
    first.trades();
    first.store.write("peak-equity.json", "{}");
    first.unlock();
    const second = await start();
    expect(second.folder).toBe(first.folder);
    const aside = readdirSync(second.folder).filter((name) => name.startsWith("key-0x"));
    expect(aside.map((name) => readFileSync(join(second.folder, name), "utf8"))).toEqual([key]);
    expect(readFileSync(second.keyPath, "utf8")).not.toBe(key);
    expect(existsSync(join(second.folder, "peak-equity.json"))).toBe(false);
    second.finish(undefined);
    await start();
    expect(readdirSync(second.folder).filter((name) => name.startsWith("key-0x"))).toHaveLength(1);
  });
});
