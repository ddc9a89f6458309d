import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createLedgerFile } from "#bot/run-liquidator.js";
import { FileStateStore } from "#bot/state-dir.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { LIQUIDATIONS_FILE, LiquidationLedger } from "#liquidator/liquidation-ledger.js";

it("a liquidator starts on a ledger of a week, and continues the open opportunities at its end", () => {
  const directory = mkdtempSync(join(tmpdir(), "mw-"));
  const store = new FileStateStore(directory);
  const clock = new VirtualClock(1_800_000_000_000);
  const path = store.pathFor(LIQUIDATIONS_FILE);
  // A sparse file replaces its lines: more than this engine's longest string.
  writeFileSync(path, "");
  truncateSync(path, 600 * 2 ** 20);
  appendFileSync(path, "\n");
  const { id } = new LiquidationLedger(createLedgerFile(store), clock).recordSeen(
    `0x${"11".repeat(20)}`,
    `0x${"22".repeat(20)}`,
    "btcusdc",
  );
  store.close();

  expect(
    new LiquidationLedger(createLedgerFile(new FileStateStore(directory)), clock).open.map(
      (one) => one.id,
    ),
  ).toEqual([id]);
  rmSync(directory, { recursive: true });
});
