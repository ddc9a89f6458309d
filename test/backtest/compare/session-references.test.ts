import { expect, it } from "vitest";
import { compareSession } from "#backtest/compare-session.js";
import { openSessionReferences } from "#backtest/open-session.js";
import { recordedTurns } from "#backtest/read-turns.js";
import { decodeRecordedTurn } from "#backtest/recorded-turns.js";
import { ReferenceReplay } from "#backtest/reference-replay.js";
import type { Session } from "#backtest/session-file.js";
import type { BotConfig } from "#bot/config.js";
import { botSchema } from "#bot/config-schema.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import type { Clock } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import type { ReferenceUpdate } from "#reference/reference-update.js";
import { scratchFolder } from "../../history/scratch.js";
import { MARKET, makerSession, recordSession } from "../../support/recorded-session.js";
import { type MadeMessage, referenceTape } from "../engine/made-references.js";

const SECONDS = 8;

/** The maker's file with a source, whose loss halts it. */
function withReference(config: BotConfig): BotConfig {
  const { path, ...file } = config;
  const market = {
    ...file.markets[MARKET],
    reference: { from: ["binance"], maxAgeMs: 1500 },
  };
  const parsed = botSchema.parse({
    ...file,
    references: {
      binance: {
        exchange: { rest: "http://source.test/v1", stream: "ws://source.test/v1" },
        market: MARKET,
        minGapMs: 30,
      },
    },
    markets: { [MARKET]: market },
  });
  return { ...parsed, path } as unknown as BotConfig;
}

/** Prices at random milliseconds; from 4 s to 5 s the source is gone. */
function sendWalk(clock: Clock, send: (update: ReferenceUpdate) => void): void {
  const random = seededRandom("walk");
  const startMs = clock.nowMs();
  const messages: MadeMessage[] = [];
  let mid = 60_000;
  for (let ms = 1; ms < SECONDS * 1000; ms += 1 + Math.floor(random.uniform() * 40)) {
    mid = Number((mid + random.uniform() - 0.5).toFixed(2));
    if (ms < 4000 || ms > 5000)
      messages.push([ms * 1000, mid, Number((mid + 0.1).toFixed(2)), startMs + ms - 7]);
    else if (messages.at(-1)?.length === 4) messages.push([ms * 1000, "the stream was closed"]);
  }
  const source = new ReferenceReplay("binance", referenceTape(messages), {
    minGapMs: 30,
    startUs: 0,
  });
  const elapsedMs = () => clock.nowMs() - startMs;
  const next = (): void => {
    if (source.nextUs === Number.POSITIVE_INFINITY) return;
    clock.setTimer(source.nextUs / 1000 - elapsedMs(), () => {
      send(source.take());
      next();
    });
  };
  next();
}

it("plays the reference prices of a recorded session at the times and with the values that entered its bot", async () => {
  const folder = `${scratchFolder()}/session`;
  const maker = makerSession(folder, SECONDS * 1000);
  const recorded = await recordSession({
    ...maker,
    config: withReference(maker.config),
    paper: {
      queue: "risk-averse",
      orderLatencyMs: 20,
      responseLatencyMs: 20,
      creditQuote: "100000",
    },
    sendReferences: sendWalk,
  });
  const session = recorded.session as Session;
  const live: [number, ReferenceUpdate][] = [];
  for await (const { text, number } of recordedTurns(folder, session)) {
    if (number === 1) continue;
    const { stamp, input } = decodeRecordedTurn(text, number);
    if (input.kind === "reference") live.push([stamp.atMs, input.update]);
  }
  expect(live.length).toBeGreaterThan(150);
  expect(live.filter(([, { type }]) => type === "down")).toHaveLength(1);
  expect(live.some(([, update]) => update.type === "price" && update.heldMs > 0)).toBe(true);

  const tape = (await openSessionReferences(folder, session)).get("binance");
  if (tape === undefined) throw new Error("the session has lost its source");
  const replay = new ReferenceReplay("binance", tape, { minGapMs: 30, startUs: session.startedUs });
  const fed: [number, ReferenceUpdate][] = [];
  while (replay.nextUs < session.endedUs) fed.push([replay.nextUs / 1000, replay.take()]);
  expect(fed).toEqual(live);

  const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
  const halts: string[] = [];
  const compared = await compareSession({
    folder,
    session,
    strategies: bindStrategies(session.config, await loadStrategies(session.config, log)),
    liquidation: { priceOff: 0n, insuranceFeeRate: 0n },
    seed: "1",
    fit: false,
    onBotEvent: (notice) => {
      if (notice.kind === "halted") halts.push(notice.why);
    },
  });
  const { sameInputs, markets } = compared;
  expect(sameInputs).toMatchObject({ equal: session.intents.count, firstDifference: null });
  // The rerun has the prices: it is halted while they are gone, and begins with the same quotes.
  expect(halts.join()).toContain("binance is down (the stream was closed)");
  expect(compared.worthless).toEqual([]);
  expect(markets[0].again.intents.equalFirst).toBeGreaterThan(1);
});
