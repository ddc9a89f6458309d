import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkStrategyMarket } from "#bot/check-strategy-market.js";
import { ConfigError } from "#core/errors.js";
import { defineStrategy } from "#strategies/strategy.js";

const own = defineStrategy({
  params: z.object({ around: z.enum(["mid", "outside"]).default("mid") }),
  needsReference: ({ around }) => around === "outside",
  create: () => (view$) => view$ as never,
});

describe("a strategy of the user's own that needs a reference by its parameters", () => {
  const without = { markets: { btcusdc: {} } } as never;
  const withOne = { markets: { btcusdc: { reference: { from: ["index"] } } } } as never;

  it("is refused in a market without one, in a sentence that names the key", () => {
    const check = () => checkStrategyMarket(without, "btcusdc", own.bind({ around: "outside" }));
    expect(check).toThrow(ConfigError);
    expect(check).toThrow(
      /^markets\.btcusdc\.reference: is missing, and the strategy quotes around a reference price; expected /,
    );
  });

  it("is accepted with one, and by other parameters without", () => {
    checkStrategyMarket(withOne, "btcusdc", own.bind({ around: "outside" }));
    expect(() => checkStrategyMarket(without, "btcusdc", own.bind({}))).not.toThrow();
  });

  it("has a function as its declaration", () => {
    expect(() => defineStrategy({ ...own.definition, needsReference: true as never })).toThrow(
      /needsReference: is not a function/,
    );
  });
});

describe("a strategy that works by its own position", () => {
  const planned = defineStrategy({
    params: z.object({}),
    inventoryPlan: () => ({ levels: [] }),
    create: () => (view$) => view$ as never,
  });

  it("is refused beside a hedge, whose position it would take for its own", () => {
    const hedged = {
      markets: { btcusdc: { strategy: "grid", hedge: { venue: "deep" } } },
    } as never;
    expect(() => checkStrategyMarket(hedged, "btcusdc", planned.bind({}))).toThrow(
      /^markets\.btcusdc\.hedge: does not go with a strategy that works by its own position; expected no hedge, or another strategy than grid/,
    );
    expect(() => checkStrategyMarket(hedged, "btcusdc", own.bind({}))).not.toThrow();
  });

  it("has a function as its declaration", () => {
    expect(() => defineStrategy({ ...own.definition, inventoryPlan: {} as never })).toThrow(
      /inventoryPlan: is not a function/,
    );
  });
});

describe("a strategy that trades both legs of a hedge", () => {
  const carries = defineStrategy({
    params: z.object({ carry: z.boolean().default(false) }),
    hedge: ({ carry }) => (carry ? "needed" : "refused"),
    create: () => (view$) => view$ as never,
  });
  const hedgedBy = (venue: object) =>
    ({
      hedgeVenues: { deep: venue },
      markets: { btcusdc: { strategy: "funding", hedge: { venue: "deep" } } },
    }) as never;

  it("is refused without one, and without the fee that it counts there", () => {
    const bound = carries.bind({ carry: true });
    const alone = { markets: { btcusdc: {} } } as never;
    expect(() => checkStrategyMarket(alone, "btcusdc", bound)).toThrow(
      /^markets\.btcusdc\.hedge: is missing, and the strategy trades both legs of a hedge/,
    );
    expect(() => checkStrategyMarket(hedgedBy({}), "btcusdc", bound)).toThrow(
      /^hedgeVenues\.deep\.takerFeeBps: is missing, and the strategy counts the fees/,
    );
    checkStrategyMarket(hedgedBy({ takerFeeBps: 5 }), "btcusdc", bound);
  });

  it("is refused beside one by parameters that lean by its own position", () => {
    expect(() =>
      checkStrategyMarket(hedgedBy({ takerFeeBps: 5 }), "btcusdc", carries.bind({})),
    ).toThrow(
      /^markets\.btcusdc\.hedge: does not go with a strategy that works by its own position/,
    );
  });

  it("has a function as its declaration", () => {
    expect(() => defineStrategy({ ...carries.definition, hedge: "needed" as never })).toThrow(
      /hedge: is not a function/,
    );
  });
});
