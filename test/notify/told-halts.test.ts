import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS } from "#core/units.js";
import { MARKET, Stage } from "../scenarios/stage.js";
import { inShort, NotifiedBot } from "./notified-bot.js";

const RESUME = "marketwright resume /simulation/bot.yaml";
/** A thousand above the mark: ten lots that are bought there lose ten quote units, and a fee. */
const FAR_ABOVE = 610_000;
const ten = (stage: Stage): void => void stage.owner.buys(10, FAR_ABOVE);
const onlyLoses = (stage: Stage): void => stage.wants({ bid: null, ask: null });

let told: NotifiedBot;
afterEach(() => told.close());

async function open(
  risk: Record<string, unknown>,
  keys: Record<string, unknown> = {},
): Promise<Stage> {
  const stage = new Stage({ bot: { risk } });
  onlyLoses(stage);
  told = await NotifiedBot.open(stage, { withFills: false, ...keys });
  await stage.botStarts(5_000);
  expect(await told.news(), "a start is no event of the bot's own").toEqual([]);
  return stage;
}

describe("a loss that halts a bot", () => {
  it("is told once, with its figures and the command that lifts it, and its end once", async () => {
    const stage = await open({ maxDrawdownQuote: "5" });
    ten(stage);
    await told.passes(3_000);
    expect(await told.news()).toEqual([
      expect.objectContaining({
        severity: "critical",
        kind: "halt",
        title: "all markets halted: drawdown",
        text: expect.stringMatching(/^net value .* quote below its peak 100000, allowed 5$/),
        command: RESUME,
      }),
    ]);
    ten(stage);
    await told.passes(5_000);
    expect(await told.news(), "it lasts").toEqual([]);
    stage.rig.bot.command({ command: "resume" });
    expect(inShort(await told.news())).toEqual([
      "critical halt-over: all markets no longer halted: drawdown",
    ]);
    ten(stage);
    await told.passes(3_000);
    expect(inShort(await told.news()), "another one, however soon").toEqual([
      "critical halt: all markets halted: drawdown",
    ]);
    expect(told.telegram.sent.map(({ text }) => text.split("\n")[0])).toEqual([
      "<b>CRITICAL bot.yaml: all markets halted: drawdown</b>",
      "<b>CRITICAL bot.yaml: all markets no longer halted: drawdown</b>",
      "<b>CRITICAL bot.yaml: all markets halted: drawdown</b>",
    ]);
    expect(told.telegram.sent[0]?.text).toContain(`<code>${RESUME}</code>`);
  });

  it("is told with what becomes of the position where it is sold", async () => {
    const stage = await open({ maxDrawdownQuote: "5", onDrawdown: "flatten" });
    ten(stage);
    await told.passes(3_000);
    const news = await told.news();
    expect(inShort(news)).toEqual(["critical halt: all markets halted: drawdown"]);
    expect(news[0]?.text).toMatch(/allowed 5; the position is sold, then halted$/);
  });

  it("and leaves only the side that reduces is as severe as a halt: a person has to lift it", async () => {
    const stage = await open({ maxDrawdownQuote: "5", onDrawdown: "reduce" });
    ten(stage);
    await told.passes(3_000);
    const reduced = await told.news();
    expect(inShort(reduced)).toEqual([
      "critical rung: risk ladder: drawdown: only orders that reduce the position rest",
    ]);
    expect(reduced[0]?.command).toBe(RESUME);
    stage.rig.bot.command({ command: "resume" });
    expect(inShort(await told.news())).toEqual(["critical rung: risk ladder: drawdown is over"]);
  });

  it("of a day is told to the next run too, with its end by midnight and a summary as `report --daily` prints it", async () => {
    const stage = new Stage({
      bot: { risk: { maxDrawdownQuote: "1000", maxDailyLossQuote: "5" } },
    });
    onlyLoses(stage);
    await stage.botStarts(5_000);
    ten(stage);
    await stage.passes(5_000);
    stage.botIsKilled();
    await stage.passes(DAY_MS - (stage.clock.nowMs() % DAY_MS) - 35_000);
    told = await NotifiedBot.open(stage, { dailySummaryAt: "00:00" });
    await stage.botStarts(5_000);
    told.recordsDays();
    await told.passes(5_000);
    const news = await told.news();
    expect(inShort(news)).toEqual(["critical halt: all markets halted: daily-loss"]);
    expect(news[0]?.command).toBe(RESUME);
    await told.passes(40_000);
    expect(inShort(await told.news())).toEqual([
      "critical halt-over: all markets no longer halted: daily-loss",
    ]);
    await told.passes(60_000);
    const [summary, ...others] = await told.news();
    expect(others).toEqual([]);
    expect(summary).toMatchObject({ severity: "info", kind: "summary" });
    expect(`${summary?.text}\n`).toBe(await told.summary("2025-10-09"));
    expect(summary?.text).toContain("halt daily-loss at 23:59:");
    expect(told.telegram.sent.at(-1)?.text).toContain(`${summary?.text}`);
  });
});

describe("the rungs of the risk ladder", () => {
  it("are told one by one as a loss grows, and the halt at their end once", async () => {
    const stage = await open({
      maxDrawdownQuote: "35",
      ladder: {
        drawdown: [
          { fromQuote: "5", action: "warn" },
          { fromQuote: "15", action: "widen", widenFactor: 3 },
          { fromQuote: "25", action: "reduce" },
        ],
      },
    });
    const steps: (readonly string[])[] = [];
    for (let loss = 0; loss < 4; loss++) {
      ten(stage);
      await told.passes(3_000);
      steps.push(inShort(await told.news()));
    }
    expect(steps).toEqual([
      ["warning rung: risk ladder: drawdown: warning"],
      ["warning rung: risk ladder: drawdown: quotes are 3 times as far from the mid"],
      ["warning rung: risk ladder: drawdown: only orders that reduce the position rest"],
      ["critical halt: all markets halted: drawdown"],
    ]);
    stage.rig.bot.command({ command: "resume" });
    expect(inShort(await told.news())).toEqual([
      "critical halt-over: all markets no longer halted: drawdown",
    ]);
  });

  it("of one market name it, tell when it is sold though it was halted, and when a rung is over", async () => {
    const stage = await open({
      maxDrawdownQuote: "1000",
      ladder: {
        inventory: [
          { fromFraction: 0.1, action: "widen" },
          { fromFraction: 0.4, action: "halt" },
          { fromFraction: 0.8, action: "flatten" },
        ],
      },
    });
    const newsFrom = async (act: () => void): Promise<readonly string[]> => {
      act();
      await told.passes(3_000);
      return inShort(await told.news());
    };
    expect(await newsFrom(() => ten(stage))).toEqual([
      `warning rung: risk ladder: inventory of ${MARKET}: quotes are 2 times as far from the mid`,
    ]);
    expect(await newsFrom(() => stage.owner.sells(10, 590_000))).toEqual([
      `warning rung: risk ladder: inventory of ${MARKET} is over`,
    ]);
    expect(await newsFrom(() => stage.owner.buys(50, FAR_ABOVE))).toEqual([
      `critical halt: ${MARKET} halted: inventory`,
    ]);
    expect(await newsFrom(() => stage.owner.buys(40, FAR_ABOVE))).toEqual([
      `critical rung: risk ladder: inventory of ${MARKET}: the position is sold, then halted`,
    ]);
  });
});

describe("a feed that is stale", () => {
  it("is told as a warning that ends by itself, once, and its end once", async () => {
    const stage = await open({ maxDrawdownQuote: "1000" });
    stage.network.stall("market");
    const ends = stage.network.every("orderbook", { is: "request lost" });
    await told.passes(15_000);
    const news = await told.news();
    expect(inShort(news)).toEqual([`warning halt: ${MARKET} halted: stale-book`]);
    expect(news[0]?.text).toMatch(/allowed 2000 ms; it ends by itself$/);
    expect(news[0]?.command).toBeUndefined();
    ends();
    stage.network.restore("market");
    await told.passes(10_000);
    const over = inShort(await told.news()).filter((line) => line.includes("stale-book"));
    expect(over).toEqual([`warning halt-over: ${MARKET} no longer halted: stale-book`]);
  });
});
