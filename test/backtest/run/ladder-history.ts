import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { BacktestConfig } from "#backtest/backtest-config.js";
import { generateHistory } from "../../support/generated-history.js";
import { ladderBacktest, ladderConfig, MARKET } from "./ladder-run.js";

/** A minute before midnight: the book continues over two UTC days. */
export const FROM_MS = Date.UTC(2026, 0, 5, 23, 59, 0);

/**
 * A folder with 150 s of history, made once for a file of tests, and the content of a ladder's
 * files in it.
 */
export class LadderHistory {
  folder!: string;

  constructor() {
    beforeAll(async () => {
      this.folder = mkdtempSync(join(tmpdir(), "backtest-"));
      await generateHistory(this.folder, {
        market: MARKET,
        fromMs: FROM_MS,
        seconds: 150,
        klines: true,
      });
    });
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  written(backtest: string, name?: string, limits?: string, exchange?: string): BacktestConfig {
    return ladderConfig(this.folder, backtest, { name, limits, exchange });
  }
}

/** A ladder's backtest file: whole extra lines, and keys of its history. */
export const backtest = (more = "", history?: string): string => ladderBacktest(history, more);
