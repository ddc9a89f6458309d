import { expect, it } from "vitest";
import { Stage } from "./stage.js";

/**
 * Money is moved so many milliseconds after a start, in a run that ends before the incomes report
 * it; the next run receives it.
 */
async function movedAround(
  start: "the first" | "the second",
  afterMs: number,
  runMs: number,
  move: (stage: Stage) => void,
): Promise<Stage> {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "500" } } });
  stage.wants({ bid: null, ask: null });
  if (start === "the second") {
    await stage.botStarts(5_000);
    await stage.passes(90_000);
    await stage.botStops();
    await stage.passes(5_000);
  }
  if (afterMs > 0) stage.clock.setTimer(afterMs, () => move(stage));
  else {
    move(stage);
    await stage.passes(-afterMs);
  }
  let isTold = () => {};
  await stage.botStarts(runMs, (network) => {
    isTold = network.every("incomes", { is: "rewritten", body: () => "[]" });
    network.loseFrame(/"INCOME/);
  });
  await stage.botStops();
  isTold();
  await stage.passes(5_000);
  await stage.botStarts(90_000);
  return stage;
}

function lossOf({ rig: { bot } }: Stage): bigint {
  return (bot.tradingGuards.peak ?? 0n) - (bot.context.account.equity ?? 0n);
}

// Each millisecond between the answer to the start's first request and its confirmation is another
// order of the reports.
const INSTANTS_MS = [-20, 0, 4, 6, 8, 10, 12, 14, 40, 900];

it.each(
  (["the first", "the second"] as const).flatMap((start) =>
    INSTANTS_MS.map((afterMs) => [afterMs, start] as const),
  ),
)(
  "a deposit %d ms after %s start is no profit to lose again, though that run ends before it is told",
  async (afterMs, start) => {
    const stage = await movedAround(start, afterMs, 10_000, ({ exchange, address }) =>
      exchange.deposit(address, "2000"),
    );
    expect(stage.saidOfHalt("drawdown")).toBeUndefined();
    expect(lossOf(stage)).toBe(0n);
  },
);

it.each(INSTANTS_MS)(
  "a withdrawal %d ms after the first start is no loss, though that run ends before it is told",
  async (afterMs) => {
    const stage = await movedAround("the first", afterMs, 2_500, ({ owner }) =>
      owner.withdraws("2000"),
    );
    expect(stage.saidOfHalt("drawdown")).toBeUndefined();
    expect(lossOf(stage)).toBe(0n);
  },
);

it("what short runs lose adds up from the peak of before them, whatever is deposited between", async () => {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "25" } } });
  stage.wants({ bid: null, ask: null });
  await stage.botStarts(5_000);
  await stage.passes(90_000);
  for (const loss of ["the first", "the second", "the third"]) {
    stage.botIsKilled();
    await stage.passes(5_000);
    stage.exchange.deposit(stage.address, "3000");
    await stage.botStarts(5_000);
    expect(stage.halts(), `before ${loss}`).toEqual([]);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
  }
  expect(lossOf(stage), "0.01 bought a thousand above, three times").toBeGreaterThan(29_000_000n);
  expect(stage.halts()).toEqual(["drawdown"]);
});

it("what the first runs of all lose adds up too, however short they are", async () => {
  const stage = new Stage({ bot: { risk: { maxDrawdownQuote: "25" } } });
  stage.wants({ bid: null, ask: null });
  for (const loss of ["the first", "the second", "the third"]) {
    await stage.botStarts(5_000);
    expect(stage.halts(), `before ${loss}`).toEqual([]);
    stage.owner.buys(10, 610_000);
    await stage.passes(5_000);
    if (loss !== "the third") stage.botIsKilled();
  }
  expect(stage.halts()).toEqual(["drawdown"]);
});
