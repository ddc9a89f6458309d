import { describe, expect, it } from "vitest";
import { openHistory } from "#backtest/open-history.js";
import { playReport } from "#backtest/play-path.js";
import { backtest, LadderHistory } from "./ladder-history.js";
import { ladders } from "./ladder-run.js";

const ladder = new LadderHistory();

// A backtest of one day showed a second one in the report's table, and on candles a minute too much
// of quoting time.
describe("a backtest whose history ends at midnight", () => {
  it.each(["books", "trades", "klines"])(
    "ends within the second in which its bot cancels its orders, without a row for that day: %s",
    async (grade) => {
      const config = ladder.written(
        backtest("", `from: 2026-01-05, to: 2026-01-06, grade: ${grade}`),
      );
      const { span, daily, ended } = await playReport(
        config,
        ladders(),
        await openHistory(config),
        "ohlc",
      );
      expect(span.to).toMatch(/^2026-01-06T00:00:00\.[1-9]/);
      expect([ended, daily.map(({ day }) => day)]).toEqual(["end-of-history", ["2026-01-05"]]);
    },
  );

  it("waits for the bot's requests in flight, even for an answer after five seconds", async () => {
    const config = ladder.written(
      backtest(
        "fills: { orderLatencyMs: 3000, responseLatencyMs: 2000 }",
        "from: 2026-01-05, to: 2026-01-06, grade: klines",
      ),
    );
    const { span } = await playReport(config, ladders(), await openHistory(config), "ohlc");
    expect(span.to).toMatch(/^2026-01-06T00:00:(05|10|15)\.000000Z$/);
  });
});
