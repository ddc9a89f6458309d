import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playPath } from "#backtest/play-path.js";
import type { RunObserver } from "#backtest/run-observer.js";
import { workPosition } from "#strategies/work-position.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, MARKET } from "./ladder-run.js";

const FROM_MS = Date.UTC(2026, 0, 5, 12);

const folder = mkdtempSync(join(tmpdir(), "marketwright-work-halted-"));
beforeAll(() => generateHistory(folder, { market: MARKET, fromMs: FROM_MS, seconds: 20 }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nothing = (): void => {};
const observer: RunObserver = {
  touch: nothing,
  fill: nothing,
  equity: nothing,
  quote: nothing,
  action: nothing,
  funding: nothing,
  note: nothing,
  prediction: nothing,
};

it("no order of a worked position rests while the market is halted, and it goes on afterwards", async () => {
  const config = ladderConfig(folder, ladderBacktest("grade: books"));
  // Far below the market: what is offered rests, and nothing fills.
  const strategy = workPosition.bind({
    targetBase: 0.1,
    withinMs: 18_000,
    limitPriceQuote: 59_000,
  });
  const halts = [
    { atMs: FROM_MS + 6_000, command: { command: "halt", reason: "news" } as const },
    { atMs: FROM_MS + 10_000, command: { command: "resume" } as const },
    { atMs: FROM_MS + 14_000, command: undefined },
  ];
  const restingBefore: number[] = [];
  await playPath(
    config,
    {
      strategies: new Map([[MARKET, strategy]]),
      version: "0.0.0",
      onBotEvent: (_event, atUs, bot) => {
        const next = halts[restingBefore.length];
        if (bot === undefined || next === undefined || atUs / 1000 < next.atMs) return;
        restingBefore.push(bot.context.account.orders.mayStillFill(MARKET).length);
        if (next.command !== undefined) bot.command(next.command);
      },
    },
    await openHistory(config),
    "ohlc",
    observer,
  );
  expect(restingBefore).toEqual([1, 0, 1]);
});
