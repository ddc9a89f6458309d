import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { rulesOfFile } from "../../../src/backtest/config/backtest-rules.js";
import { SessionRecording } from "../../../src/backtest/session/session-recording.js";
import type { BotConfig } from "../../../src/bot/config/config.js";
import { botSchema } from "../../../src/bot/config/config-schema.js";
import { seededRandom } from "../../../src/core/seeded-random.js";
import { VirtualClock } from "../../../src/core/virtual-clock.js";

// The bot goes on without its record; what is thrown at it would take its quotes down, and what is thrown as it leaves would keep its process.
it("ends by itself where its disk takes no more: told once, thrown at nobody, and never named", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-session-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = botSchema.parse({
    exchange: { rest: "http://exchange.test/v1", stream: "ws://exchange.test/v1" },
    account: { keyEnv: "KEY" },
    quotes: { timeInForce: "POST_ONLY" },
    markets: { btcusdc: { strategy: "ladder", params: {}, limits: { maxPositionBase: "1", maxOrderBase: "0.1" } } },
    risk: { maxDrawdownQuote: "1000" },
  }) as unknown as BotConfig;
  const grid = { tickSizeQuote: "0.1", stepSizeBase: "0.001", makerFeeRate: "0.0001", takerFeeRate: "0.0005" };
  const market = { ...grid, maxLeverage: 20, liquidationThreshold: 0.03, maxOpenOrders: 200 };
  const rules = rulesOfFile({ markets: { btcusdc: market }, liquidationPriceOff: 0.01, insuranceFeeRate: 0.01 }, ["btcusdc"], "/");
  const clock = new VirtualClock(Date.UTC(2026, 0, 5, 12));
  const failures: unknown[] = [];
  const recording = await SessionRecording.begin(
    {
      folder,
      config,
      mode: "live",
      version: "0.0.0",
      seam: { clock, random: seededRandom("session") },
      onFailed: (error) => failures.push(error),
    },
    { rules, registered: true, account: `0x${"11".repeat(20)}` },
  );
  const staging = join(folder, "history", ".staging", "btcusdc", "recording");
  const [part = ""] = readdirSync(staging).filter((name) => name.startsWith("part-"));
  // Nobody can write what is a folder.
  mkdirSync(join(staging, part, "marks.ndjson"));
  for (let heard = 0; heard < 3; heard++) {
    recording.event({ type: "stream", stream: "market", state: "up", reason: "subscribed" });
    await clock.runFor(1500);
  }
  expect(failures).toHaveLength(1);
  await recording.abandon();
  await expect(recording.close()).rejects.toThrow(/--record: the recording of the session is not whole/);
  expect(failures).toHaveLength(1);
  expect(readdirSync(folder)).not.toContain("session.json");
});
