import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readIntents } from "#backtest/compare-intents.js";
import type { Session } from "#backtest/session-file.js";
import { SESSION_FILES } from "#backtest/session-file.js";
import { encodeJournal } from "#bot/journal.js";
import { hashFile } from "#history/file-hash.js";

// A bot that decides ten times a second writes half a gigabyte of intents a day, more than the
// longest string: such a session could not be compared.
it("reads the intents of a session of days", async () => {
  const folder = mkdtempSync(join(tmpdir(), "long-session-"));
  try {
    const path = join(folder, SESSION_FILES.intents);
    const reason = { fairTicks: 0, reservationTicks: 0, halfSpreadTicks: 0, terms: {}, clamps: [] };
    for (let turn = 1; turn <= 560; turn++) {
      const intent = {
        kind: "quotes" as const,
        marketId: "btcusdc",
        viewSequence: turn,
        quotes: [],
        reason,
      };
      appendFileSync(
        path,
        `${" ".repeat(1_000_000)}${encodeJournal({ atUs: turn, turn, intent })}\n`,
      );
    }
    const intents = await readIntents(folder, {
      intents: { count: 560, sha256: await hashFile(path) },
    } as Session);
    expect(intents).toHaveLength(560);
    expect(intents.at(-1)).toMatchObject({ turn: 560, intent: { viewSequence: 560 } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
