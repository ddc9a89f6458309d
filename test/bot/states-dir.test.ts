import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig, loadBotOrders } from "#bot/config.js";
import { stateDirFor } from "#bot/state-dir.js";

const ACCOUNT = `0x${"A1".repeat(20)}` as const;
const ENV = { KEY: `0x${"17".repeat(32)}` };

function written(folder: string, more = ""): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: KEY }
quotes: { timeInForce: GTT }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
${more}`,
  );
  return path;
}

const scratch = (): string => realpathSync(mkdtempSync(join(tmpdir(), "mw-states-")));
const stateDir = (path: string, env: Readonly<Record<string, string>> = {}) =>
  stateDirFor(loadBotConfig(path, { ...ENV, ...env }), ACCOUNT);

describe("the state of a bot", () => {
  it("is beside its file", () => {
    const path = written(scratch());
    expect(stateDir(path, { XDG_STATE_HOME: "/elsewhere" })).toBe(
      join(dirname(path), ".marketwright", ACCOUNT.toLowerCase()),
    );
  });

  // The next install removed it: the bot forgot its drawdown, and a manual halt.
  it("is never in an installed package, whose files the next install replaces", () => {
    const path = written(join(scratch(), "node_modules/marketwright/config"));
    const home = scratch();
    expect(stateDir(path)).toBe(resolve(".marketwright", ACCOUNT.toLowerCase()));
    expect(stateDir(path, { XDG_STATE_HOME: "" })).toBe(
      resolve(".marketwright", ACCOUNT.toLowerCase()),
    );
    expect(stateDir(path, { XDG_STATE_HOME: home })).toBe(
      join(home, "marketwright", ACCOUNT.toLowerCase()),
    );
    // The guard and `halt` read the same place as the bot.
    const orders = loadBotOrders(path, { ...ENV, XDG_STATE_HOME: home });
    expect(stateDirFor(orders, ACCOUNT)).toBe(join(home, "marketwright", ACCOUNT.toLowerCase()));
  });

  it("is in the folder that the file names, also in an installed package", () => {
    const path = written(join(scratch(), "node_modules/marketwright/config"), "stateDir: mine");
    expect(stateDir(path)).toBe(join(dirname(path), "mine"));
  });

  it("is beside the file of a checkout that npm has linked into node_modules", () => {
    const checkout = join(scratch(), "checkout");
    written(join(checkout, "config"));
    const modules = join(scratch(), "node_modules");
    mkdirSync(modules);
    symlinkSync(checkout, join(modules, "marketwright"));
    const path = join(modules, "marketwright/config/bot.yaml");
    expect(stateDir(path)).toBe(join(dirname(path), ".marketwright", ACCOUNT.toLowerCase()));
  });

  it("stays in an installed package if an earlier version has left it there: its halts apply", () => {
    const path = written(join(scratch(), "node_modules/marketwright/config"));
    const earlier = join(dirname(path), ".marketwright", ACCOUNT.toLowerCase());
    mkdirSync(earlier, { recursive: true });
    expect(stateDir(path)).toBe(earlier);
  });
});
