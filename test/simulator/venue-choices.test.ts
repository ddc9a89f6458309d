import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ConfigError } from "#core/errors.js";
import { choicesShape } from "#simulator/choices.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { traders } from "./reference-client.js";

describe("docs/reference/venue-choices.md", () => {
  const page = readFileSync(
    new URL("../../docs/reference/venue-choices.md", import.meta.url),
    "utf8",
  );
  const defaults = Object.entries(choicesShape.parse({}));

  it.each(defaults)("lists %s with its default", (key, value) => {
    expect(page).toContain(
      `| \`${key}\` | \`${typeof value === "object" ? JSON.stringify(value) : value}\` |`,
    );
  });

  it("lists nothing that does not exist", () => {
    const section = page.slice(page.indexOf("## Under `choices`"), page.indexOf("## Elsewhere"));
    const listed = [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(listed).toEqual(defaults.map(([key]) => key));
  });
});

describe("the exchange's configuration", () => {
  const failure = (input: unknown): ConfigError => {
    try {
      parseExchangeConfig(input);
    } catch (error) {
      return error as ConfigError;
    }
    throw new Error("it was accepted");
  };

  it("needs no more than a market", () => {
    expect(parseExchangeConfig({ markets: { btcusdc: {} } })).toMatchObject({
      port: 8620,
      creditOnRegistration: "100000",
    });
  });

  it.each([
    [{}, "markets"],
    [{ markets: {} }, "markets"],
    [{ markets: { btcusdc: { tickSize: 0.1 } } }, "markets.btcusdc.tickSize"],
    [{ markets: { btcusdc: { funding: { rate: "1%" } } } }, "markets.btcusdc.funding.rate"],
    [{ markets: { btcusdc: {} }, port: 70_000 }, "port"],
    [{ markets: { btcusdc: {} }, settlement: { failureRate: 1.5 } }, "settlement.failureRate"],
    [{ markets: { btcusdc: {} }, choices: { selfMatch: "never" } }, "choices.selfMatch"],
    [{ markets: { btcusdc: {} }, prot: 8620 }, "prot"],
  ])("%j is refused, naming %s", (input, field) => {
    const error = failure(input);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.field).toBe(field);
    expect(error.expected).toBeTruthy();
  });

  it.each([
    [{ stepSize: "0" }, "markets.btcusdc.stepSize"],
    [{ priceQuote: { min: "0.05" } }, "markets.btcusdc.priceQuote.min"],
    [{ priceQuote: { min: "5", max: "4" } }, "markets.btcusdc.priceQuote.max"],
    [{ amountBase: { min: "0.0001" } }, "markets.btcusdc.amountBase.min"],
    [{ liquidationThreshold: "0.06" }, "markets.btcusdc.liquidationThreshold"],
    [{ takerFeeRate: "1.5" }, "markets.btcusdc.takerFeeRate"],
  ])("a market of %j contradicts its own grid, and says so by %s", (market, field) => {
    expect(() => traders({ markets: { btcusdc: market } })).toThrow(ConfigError);
    try {
      traders({ markets: { btcusdc: market } });
    } catch (error) {
      expect((error as ConfigError).field).toBe(field);
    }
  });
});
