import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadBotConfig } from "#bot/config.js";
import { changeConfig, checkRestartKeys, findDifferentValues } from "#bot/config-change.js";
import { formatConfigPath, parseConfigPath } from "#bot/config-path.js";
import { isSameJson } from "#bot/running-values.js";
import { ConfigError } from "#core/errors.js";
import { readPage } from "../project/pages.js";
import { botConfigOf } from "./recorded-run.js";

const CONFIG = botConfigOf();

const changed = (...changes: readonly (readonly [path: string, value: unknown])[]) =>
  changeConfig(
    CONFIG,
    changes.map(([path, value]) => ({ path: parseConfigPath(path), value })),
  );

describe("a config with changed values", () => {
  it("is the same config if nothing changes, for every example of a bot", () => {
    const files = readdirSync(new URL("../../config", import.meta.url)).filter((name) => {
      if (!name.endsWith(".yaml")) return false;
      const { account, markets } = parse(readPage(`config/${name}`).text) ?? {};
      return account !== undefined && markets !== undefined;
    });
    expect(files.length).toBeGreaterThan(1);
    for (const name of files) {
      const config = loadBotConfig(`config/${name}`, {}, { key: "unused" });
      expect(isSameJson(changeConfig(config, []), config), name).toBe(true);
    }
  });

  it("has the new values and keeps the digits of quantities", () => {
    const config = changed(
      ["markets.ethusdc.params.halfSpreadBps", 2.5],
      ["risk.maxNotionalQuote", "12345.000001"],
      ["markets.btcusdc.decide.everyMs", 100],
      ["risk.ladder.inventory", [{ fromFraction: 0.5, action: "widen" }]],
    );
    expect(
      findDifferentValues(CONFIG, config)
        .map(({ path }) => formatConfigPath(path))
        .sort(),
    ).toEqual([
      "markets.btcusdc.decide.everyMs",
      "markets.ethusdc.params.halfSpreadBps",
      "risk.ladder.inventory",
      "risk.maxNotionalQuote",
    ]);
    expect(config.risk.maxNotionalQuote).toBe("12345.000001");
  });

  it("takes the default again where null removes a key", () => {
    const config = changed(["decide.everyMs", 100], ["decide.minGapMs", 5]);
    const back = changeConfig(config, [{ path: ["decide", "everyMs"], value: null }]);
    expect(back.decide).toEqual({ ...CONFIG.decide, minGapMs: 5 });
    expect(isSameJson(changed(["risk.maxLeverage", null]), CONFIG)).toBe(true);
  });

  it.each([
    ["exchange.rest", "http://x", /cannot change while the bot runs.*restart/],
    ["account.keyEnv", `0x${"de".repeat(32)}`, /cannot change while the bot runs/],
    ["markets.btcusdc.strategy", "glft", /cannot change while the bot runs/],
    ["quotes.timeInForce", "GTT", /cannot change while the bot runs/],
    ["markets.solusdc.params.sizeBase", 1, /is not a market of this bot.*needs a restart/],
    ["markets.btcusdc.limit", 1, /unknown key/],
    ["nothing.here", 1, /unknown key/],
    ["markets.btcusdc.limits.maxOrderBase", "0.01", /below the size that the strategy quotes/],
    ["risk.maxAccountAgeMs", 10, /more than exchange.reconcileMs/],
    ["risk.maxLeverage", "three", /is of the wrong type/],
    ["risk.maxLeverage", true, /is of the wrong type/],
    ["markets.btcusdc.limits", { maxOrderBase: 1 }, /would drop the others/],
    ["decide", { everyMs: 100 }, /would drop the others/],
    ["decide.everyMs.soon", 1, /holds no keys/],
    ["risk.ladder.inventory.0.fromFraction", 0.5, /expected a list/],
    ["markets", null, /is missing/],
    ["risk.maxDrawdownQuote", null, /is missing/],
  ])("is refused with the reason: %s", (path, value, why) => {
    expect(() => changed([path, value])).toThrow(ConfigError);
    expect(() => changed([path, value])).toThrow(why);
    expect(() => changed([path, value])).not.toThrow(/dededede/);
  });

  it("is refused whole if one of several values is wrong, or one key is named twice", () => {
    expect(() =>
      changed(["decide.everyMs", 100], ["markets.btcusdc.limits.maxOpenOrders", 0]),
    ).toThrow(/maxOpenOrders/);
    expect(() => changed(["decide.everyMs", 100], ["decide.everyMs", 200])).toThrow(/twice/);
    expect(() => changed(["decide", null], ["decide.everyMs", 200])).toThrow(/twice/);
    expect(CONFIG.decide.everyMs).toBe(250);
  });

  it("may not differ in what needs a restart, whichever way it came", () => {
    const { ethusdc, ...markets } = CONFIG.markets;
    expect(() => checkRestartKeys(CONFIG, { ...CONFIG, markets })).toThrow(/^markets.ethusdc: /);
    expect(() => checkRestartKeys({ ...CONFIG, markets }, CONFIG)).toThrow(/^markets.ethusdc: /);
    const other = { ...CONFIG, logLevel: "warn" as const, stateDir: "/elsewhere" };
    expect(() => checkRestartKeys(CONFIG, other)).toThrow(/^(?=.*stateDir)(?=.*logLevel)/);
    expect(ethusdc).toBeDefined();
    checkRestartKeys(CONFIG, { ...CONFIG, decide: { ...CONFIG.decide, everyMs: 5000 } });
  });
});

describe("a path of a bot's file", () => {
  it.each([
    ["risk.maxLeverage", ["risk", "maxLeverage"]],
    ["markets.btc-usd_1.params.a", ["markets", "btc-usd_1", "params", "a"]],
    ['markets.m.params."a.b".c', ["markets", "m", "params", "a.b", "c"]],
    ['"a"', ["a"]],
    ["risk.ladder.drawdown.0.fromQuote", ["risk", "ladder", "drawdown", "0", "fromQuote"]],
  ])("is read: %s", (text, keys) => {
    expect(parseConfigPath(text)).toEqual(keys);
    expect(parseConfigPath(formatConfigPath(keys))).toEqual(keys);
  });

  it.each(["", ".", "a.", ".a", "a..b", 'a."b', 'a"b', '""', "__proto__.x", "a.constructor"])(
    "is refused: %s",
    (text) => {
      expect(() => parseConfigPath(text)).toThrow(ConfigError);
    },
  );
});
