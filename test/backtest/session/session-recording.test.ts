import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readVenueRules } from "#backtest/backtest-rules.js";
import { SessionRecording } from "#backtest/session-recording.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import type { MarketRules } from "#exchange/records.js";
import { HistoryStore } from "#history/history-store.js";

// A comparison uses the fees of the session's start throughout. Reported as a difference of fills,
// changed fees look like a wrong model or an impossible profit.
it("warns that the market's rules changed during the recording, and states the old ones", async () => {
  const { recording, rules, store } = await begun();
  const market = rules.markets.btcusdc as MarketRules;
  const read = (change: Partial<MarketRules>): void => {
    const data = { ...rules, markets: { btcusdc: { ...market, ...change } } };
    recording.onVenueEvent({
      type: "answer",
      actionId: 0,
      outcome: { result: "answered", ask: "rules", data },
    });
  };
  recording.onVenueEvent({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
  read({});
  read({ makerFeeRate: -(10n ** 14n), maxOpenOrders: 100 });
  read({ makerFeeRate: -(10n ** 14n), maxOpenOrders: 100 });
  read({ maxOpenOrders: 100 });
  await recording.abandon();
  const says = "the market's rules changed, but a replay uses those of the start:";
  expect(
    store.days({ market: "btcusdc", kind: "trades" }).flatMap(({ findings }) => findings),
  ).toEqual([
    expect.stringMatching(
      new RegExp(`${says} maxOpenOrders was 200, is 100; makerFeeRate was 0.0001, is -0.0001$`),
    ),
    expect.stringMatching(new RegExp(`${says} makerFeeRate was -0.0001, is 0.0001$`)),
  ]);
});

// The bot continues without its record. An error thrown into it would cancel its quotes, and one
// thrown at its exit would keep its process alive.
it("ends when its disk is full: reported once, not thrown, and never named complete", async () => {
  const { recording, folder, clock, failures } = await begun();
  const staging = join(folder, "history", ".staging", "btcusdc", "recording");
  const [part = ""] = readdirSync(staging).filter((name) => name.startsWith("part-"));
  // A folder cannot be written as a file.
  mkdirSync(join(staging, part, "marks.ndjson"));
  for (let heard = 0; heard < 3; heard++) {
    recording.onVenueEvent({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    await clock.runFor(1500);
  }
  expect(failures).toHaveLength(1);
  await recording.abandon();
  await expect(recording.close()).rejects.toThrow(
    /--record: the recording of the session is incomplete/,
  );
  expect(failures).toHaveLength(1);
  expect(readdirSync(folder)).not.toContain("session.json");
});

/** A recording that has begun, in a folder of its own. */
async function begun() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-session-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    markets: {
      btcusdc: {
        strategy: "ladder",
        params: {},
        limits: { maxPositionBase: "1", maxOrderBase: "0.1" },
      },
    },
    risk: { maxDrawdownQuote: "1000" },
  }) as unknown as BotConfig;
  const grid = {
    tickSizeQuote: "0.1",
    stepSizeBase: "0.001",
    makerFeeRate: "0.0001",
    takerFeeRate: "0.0005",
  };
  const market = { ...grid, maxLeverage: 20, liquidationThreshold: 0.03, maxOpenOrders: 200 };
  const rules = readVenueRules(
    { markets: { btcusdc: market }, liquidationPriceOff: 0.01, insuranceFeeRate: 0.01 },
    ["btcusdc"],
    "/",
  );
  const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12));
  const failures: unknown[] = [];
  const recording = await SessionRecording.begin(
    {
      folder,
      config,
      mode: "live",
      version: "0.0.0",
      runtime: { clock, random: seededRandom("session") },
      onFailed: (error) => failures.push(error),
    },
    { rules, registered: true, account: `0x${"11".repeat(20)}` },
  );
  return {
    recording,
    folder,
    rules,
    clock,
    failures,
    store: new HistoryStore(join(folder, "history")),
  };
}
