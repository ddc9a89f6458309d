import { describe, expect, it } from "vitest";
import type { Takeover } from "#account/takeover.js";
import { formatExplanation } from "#bot/format-explanation.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { writeStoredTakeovers } from "#bot/stored-takeovers.js";
import type { TakeoverRecord } from "#bot/takeover-registry.js";
import { explain } from "./explained.js";
import { botConfigOf, EXCHANGE, START_MS } from "./recorded-run.js";

describe("explain, for a takeover that is being unwound,", () => {
  const worstTicks = 297_000;
  const takeover: Takeover = {
    id: "tx 1",
    marketId: "ethusdc",
    lots: 24,
    credit: -712_800_000n,
    atMs: START_MS,
  };
  const known: TakeoverRecord = {
    takeover,
    saidAtMs: START_MS,
    terms: {
      part: { takingFromMs: START_MS + 1_000, stepMs: 60_000, holdLots: [24, 15, 5, 0] },
      worstTicks,
      deadlineMs: START_MS + 181_000,
    },
    state: "open",
    isUndone: false,
    nettedLots: 0,
    nettedCredit: 0n,
    shares: [],
  };
  const unwindingOf = async (
    markets: Record<string, unknown>,
    of: readonly TakeoverRecord[] = [known],
  ) => {
    const store = new MemoryStateStore();
    writeStoredTakeovers(store, {
      known: of,
      said: of.map((one) => ({ ...one.takeover, isTold: false })),
      grids: {},
    });
    return explain(
      botConfigOf({
        chain: { rpc: ["http://chain.test"] },
        liquidator: { minProfitQuote: "1" },
        markets,
      }),
      undefined,
      { store },
      { markets: { ethusdc: EXCHANGE.markets.ethusdc } },
    );
  };
  const alone = { ethusdc: { limits: { maxPositionBase: "5", maxOrderBase: "1" } } };

  it("shows from the state directory the remainder, its schedule, the next slice, its limit price and the deadline", async () => {
    const { explanation } = await unwindingOf(alone);
    expect(explanation.complete).toBe(true);
    const { atMs, markets } = explanation;
    expect(markets.ethusdc).toMatchObject({
      strategy: "no strategy",
      state: "unwinding",
      positionBase: "0.24",
      reasons: ["the bot unwinds an acquired position: 0.24 base to sell"],
      unwinding: {
        state: "working",
        why: "9 lots behind the trajectory",
        remainingBase: "0.24",
        allowedBase: "0.15",
        nextSliceAtMs: atMs,
        takeovers: [
          {
            takeoverId: "tx 1",
            remainingBase: "0.24",
            allowedBase: "0.15",
            worstPrice: "2970",
            nextStepAtMs: START_MS + 61_000,
            deadlineMs: START_MS + 181_000,
          },
        ],
      },
    });
    expect(
      markets.ethusdc?.quotes.map(({ side, amountBase, fate }) => `${side} ${amountBase} ${fate}`),
    ).toEqual(["SELL 0.15 place", "SELL 0.09 place"]);
    const lines = formatExplanation(explanation);
    expect(lines).toContain(
      "0.24 left, 0.15 allowed by now: working, 9 lots behind the trajectory; next slice now",
    );
    expect(lines).toContain("no worse than 2970, deadline in 17");
    expect(lines).toContain("SELL now ");
  });

  it("shows that it waits with its market, and why", async () => {
    const worked = { ...known, terms: { ...known.terms, worstTicks: 320_000 } };
    const { explanation } = await unwindingOf(alone, [worked]);
    expect(explanation.markets.ethusdc?.unwinding).toMatchObject({
      state: "waiting",
      why: expect.stringMatching(/^the touch at \d+ is beyond 320000/),
    });
  });

  it("shows that the quotes of a strategy unwind it, if there is one", async () => {
    const later = {
      ...known,
      terms: { ...known.terms, part: { ...known.terms.part, takingFromMs: START_MS + 90_000 } },
    };
    const { explanation } = await unwindingOf(
      {
        ethusdc: {
          ...alone.ethusdc,
          strategy: "ladder",
          params: { levels: 1, halfSpreadBps: 1, levelSpacingBps: 1, sizeBase: 0.2 },
        },
      },
      [later],
    );
    const { state, quotes, unwinding } = explanation.markets.ethusdc ?? {};
    expect([state, unwinding?.state, unwinding?.nextSliceAtMs]).toEqual([
      "unwinding",
      "offering",
      START_MS + 90_000,
    ]);
    expect(quotes?.map(({ side, level, fate }) => [side, level, fate])).toEqual([
      ["SELL", 0, "place"],
    ]);
  });

  it("shows none if nothing is open, and completes for a market without a strategy", async () => {
    const { explanation } = await unwindingOf(alone, [{ ...known, state: "expired" }]);
    expect(explanation.complete).toBe(true);
    expect(explanation.markets.ethusdc).toMatchObject({
      state: "not quoting",
      unwinding: undefined,
      quotes: [],
      reasons: ["this market has no strategy: the bot only sells acquired positions"],
      tokens: { byTimerPerMinute: 0, worstPerMinute: 0 },
    });
    expect(formatExplanation(explanation)).not.toContain("unwinds");
  });

  it("shows how a market with a hedge unwinds it, why, and what both ways cost", async () => {
    const decision = {
      venue: "deep",
      why: "selling it here is not dearer",
      hereCost: 1_250_000n,
      layOffCost: 2_500_000n,
    } as const;
    const laidOff = {
      ...known,
      takeover: { ...takeover, id: "tx 0" },
      state: "laid-off",
      laidOff: { lots: 24, credit: 714_000_000n },
      decision: { ...decision, way: "hedge", why: "laying it off is cheaper" },
    } as const;
    const { explanation } = await unwindingOf(alone, [
      laidOff,
      { ...known, decision: { ...decision, way: "here" } },
    ]);
    const lines = formatExplanation(explanation);
    expect(lines).toContain(
      "sold here and not hedged: selling it here is not dearer (cost here 1.25, at deep 2.5)",
    );
    expect(lines).toContain(
      "laid off  tx 0: 0.24, laid off: laying it off is cheaper (cost here 1.25, at deep 2.5)",
    );
  });
});
