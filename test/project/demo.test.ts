import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadBotConfig } from "#bot/config.js";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { runMaker } from "../../scripts/demo/run-maker.js";
import { PROJECT_ROOT } from "./checkout.js";
import { readPage } from "./pages.js";

const file = (name: string): string => join(PROJECT_ROOT, "config", name);
const bot = (name: string) => loadBotConfig(file(name), {}, { key: "unused" });
const flows = (name: string) =>
  Object.values(loadExchangeConfig(file(name)).markets).map(({ flow }) => flow);

describe("npm start", () => {
  it("runs a maker alone, where no price jumps and nobody is in danger", () => {
    expect(bot("bot.yaml").liquidator).toBeUndefined();
    for (const flow of flows("exchange.yaml"))
      expect(Object.keys(flow).sort()).toEqual(["kind", "preset", "startPriceQuote"]);
  });

  it("quotes both sides nearly always and is filled on both, with few orders a fill", async () => {
    const run = await runMaker({
      botFile: file("bot.yaml"),
      exchangeFile: file("exchange.yaml"),
      seed: 2,
      minutes: 4,
    });
    expect([...run.markets.keys()]).toEqual(["btcusdc", "ethusdc"]);
    for (const { buys, sells, quotedFraction } of run.markets.values()) {
      expect(Math.min(buys, sells)).toBeGreaterThan(3);
      expect(quotedFraction).toBeGreaterThan(0.9);
    }
    const { ordersPlaced, fills } = run.summary;
    expect(fills).toBe(
      [...run.markets.values()].reduce((sum, { buys, sells }) => sum + buys + sells, 0),
    );
    expect(ordersPlaced / fills).toBeLessThan(10);
    expect(run.halts).toEqual([]);
  });
});

describe("npm run demo:liquidations", () => {
  it("has shocks, accounts in danger, a liquidator and a competitor", () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"));
    expect(scripts["demo:liquidations"]).toBe(
      "exec node bin/marketwright.js start config/liquidations.yaml --exchange config/liquidations-exchange.yaml --competitor config/liquidations-competitor.yaml",
    );
    for (const name of ["liquidations.yaml", "liquidations-competitor.yaml"])
      expect(bot(name)).toMatchObject({ liquidator: {}, exchange: bot("bot.yaml").exchange });
    for (const flow of flows("liquidations-exchange.yaml"))
      expect(flow).toMatchObject({ preset: "fitted", shocks: {}, leveraged: {} });
  });

  it("makes the markets as npm start does", () => {
    expect(bot("liquidations.yaml").markets).toEqual(bot("bot.yaml").markets);
    expect(bot("liquidations.yaml").quotes).toEqual(bot("bot.yaml").quotes);
  });
});

describe("the README's smallest bot", () => {
  it("does not follow every tick: fewer than 12 orders a fill, where it had 65", async () => {
    const { summary, markets } = await runMaker({
      botFile: file("minimal.yaml"),
      exchangeFile: file("exchange.yaml"),
      seed: 1,
      minutes: 10,
    });
    const { buys = 0, sells = 0 } = markets.get("btcusdc") ?? {};
    expect(Math.min(buys, sells)).toBeGreaterThan(3);
    expect(summary.ordersPlaced / summary.fills).toBeLessThan(12);
  });
});

describe("docs/reference/demo.md", () => {
  const rows = (name: string): readonly (readonly string[])[] => {
    const [, part = ""] = readPage("docs/reference/demo.md").text.split(`<!-- ${name}: `);
    return (part.split("<!-- end of ")[0] ?? "")
      .split("\n")
      .filter((line) => /^\| \d/.test(line))
      .map((line) =>
        line
          .split("|")
          .map((cell) => cell.trim())
          .slice(1, -1),
      );
  };
  const seeds = Array.from({ length: 20 }, (_, at) => `${at + 1}`);

  it("has every seed from 1 to 20, the losing ones too, of the account and of each market", () => {
    const calm = rows("calm");
    expect(calm.map(([seed]) => seed)).toEqual([...seeds, ...seeds, ...seeds]);
    expect(rows("shocks").map(([seed]) => seed)).toEqual(seeds.slice(0, 6));
  });

  it.each(["calm", "shocks"])("has parts that sum to the profit, to the cent: %s", (name) => {
    for (const [seed, profit, ...more] of rows(name).slice(0, 20)) {
      const parts = more.slice(0, 5).reduce((sum, part) => sum + Number(part), 0);
      // Six figures that are each rounded to a cent.
      expect(Math.abs(parts - Number(profit)), `seed ${seed}`).toBeLessThan(0.031);
    }
  });
});
