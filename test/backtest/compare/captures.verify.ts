import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readIntents } from "#backtest/compare-intents.js";
import { fitModel } from "#backtest/fit-model.js";
import { openSession } from "#backtest/open-session.js";
import { recordedTurns } from "#backtest/read-turns.js";
import { replayTurns } from "#backtest/replay-turns.js";
import type { Session } from "#backtest/session-file.js";
import { bindStrategies, loadStrategies } from "#bot/market-strategies.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { createLog } from "#monitoring/log.js";
import { findCaptureFiles } from "#simulator/capture-files.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { BTC_CAPTURES, type BtcCapture, hasCapture } from "../../support/capture-tape.js";
import {
  captureSession,
  parityInputs,
  recordSession,
  withTakingQuotes,
} from "../../support/recorded-session.js";

const PAPER = {
  queue: "risk-averse",
  orderLatencyMs: 20,
  responseLatencyMs: 20,
  creditQuote: "100000",
};
const FOR_MS = 600_000;

describe.each(Object.keys(BTC_CAPTURES) as BtcCapture[])(
  "a session of ten minutes on capture %s (skipped where it does not lie on this machine)",
  (tag) => {
    it.skipIf(!hasCapture(tag)).each(["paper", "live", "live and taking"] as const)(
      "gives the same intents and the same fills in the backtest: %s",
      async (mode) => {
        const folder = mkdtempSync(join(tmpdir(), "marketwright-parity-"));
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
        const wish = await captureSession(
          join(folder, "session"),
          FOR_MS,
          findCaptureFiles(recordedDataFolder(), tag),
        );
        const recorded = await recordSession(
          {
            paper: { ...wish, paper: PAPER },
            live: wish,
            "live and taking": withTakingQuotes(wish),
          }[mode],
        );
        const session = recorded.session as Session;

        const log = createLog({ write: () => {} }, { level: "fatal", clock: new VirtualClock(0) });
        const strategies = bindStrategies(
          session.config,
          await loadStrategies(session.config, log),
        );
        const data = (await openSession(recorded.folder, session)).map(
          ({ marketId, recordedTape, history, isInBook }) => ({
            marketId,
            tape: recordedTape,
            marks: history.marks,
            isInBook,
          }),
        );
        const intents = await readIntents(recorded.folder, session);
        const again = await replayTurns(
          recordedTurns(recorded.folder, session),
          strategies,
          data,
          intents,
          session.startedUs,
        );
        const inputs = await parityInputs(recorded);
        const { plain, best } = fitModel(inputs);
        process.stdout.write(
          `${tag} ${mode}: ${again.equal} of ${again.intents} intents, ${inputs.account.fills.length} fills, ${inputs.account.fills.filter(({ isMaker }) => !isMaker).length} of them taken; second half ${(100 * best.secondHalf.share).toFixed(2)} % (${JSON.stringify(best.model)}), unfitted ${(100 * plain.secondHalf.share).toFixed(2)} %\n`,
        );
        expect(again).toEqual({
          turns: session.turns.count,
          intents: intents.length,
          equal: intents.length,
          firstDifference: undefined,
          halts: again.halts,
        });
        expect(inputs.account.fills.length).toBeGreaterThan(0);
        expect(best.secondHalf.share).toBeGreaterThanOrEqual(0.95);
      },
    );
  },
);
