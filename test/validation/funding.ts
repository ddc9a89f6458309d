import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { HistoryStore } from "#history/history-store.js";
import { importFiles } from "#history/import-files.js";
import { openFunding, openMarks } from "#history/open-marks.js";
import { recordedDataFolder } from "#simulator/data-folder.js";
import { bid, books, builder, MS, S, standing } from "../backtest/engine/played-tapes.js";
import { MARKET, quoting, ReplayStage } from "../backtest/engine/replay-stage.js";
import type { PublishedNumbers } from "./published.js";

const MARKS = join(recordedDataFolder(), "mark", "btcusdt-perp_20230404-05.csv.gz");
const FUNDING = join(recordedDataFolder(), "funding", "btcusdt-perp_binance_funding.ndjson.gz");
const MIDNIGHT_US = Date.UTC(2023, 3, 5) * 1000;
const FROM_US = MIDNIGHT_US - 60 * S;
const TO_US = MIDNIGHT_US + 60 * S;

/** The one funding boundary that lies in recorded marks. */
export const fundingBoundary: PublishedNumbers = {
  title: "Funding of one bitcoin at the boundary of 2023-04-05",
  source:
    "Computed independently of this project from the recorded marks and the funding that Binance lists: 28155.1 x 0.0000276",
  how: "Ours: the payment of a long of one bitcoin in a replay (`MarkTrack` and `ReplayVenue` of `src/backtest`), with marks and funding imported into a store and read from it. The mark is the one that still names the boundary as the next; its stamp is 10 ms after it.",
  isAvailable: existsSync(MARKS) && existsSync(FUNDING),
  async compare() {
    const folder = mkdtempSync(join(tmpdir(), "validated-funding-"));
    try {
      const store = new HistoryStore(join(folder, "history"));
      const files = {
        market: MARKET,
        clock: { partsAt: [13_385n], baseLatencyNs: 5_000_000n },
        replace: false,
      };
      await importFiles(store, { ...files, files: [MARKS] });
      await importFiles(store, { ...files, files: [fundingOfThatMonth(folder)] });
      const span = { fromUs: FROM_US, toUs: TO_US };
      const marks = await openMarks(store, MARKET, span);
      const funding = await openFunding(store, MARKET, span);
      const within = 1e-6;
      const because = "the asset's last unit, which who pays pays";
      return [
        {
          what: "by the rate that was listed as paid",
          theirs: "0.77708076",
          ours: paid({ marks, funding }),
          within,
          because,
        },
        {
          what: "by the rate that the marks told",
          theirs: "0.77708076",
          ours: paid({ marks }),
          within,
          because,
        },
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The rates of the boundary's month: an import writes a file for each of the years' 1,461 days. */
function fundingOfThatMonth(folder: string): string {
  const lines = gunzipSync(readFileSync(FUNDING)).toString("utf8").split("\n");
  const month = lines.filter((line) => {
    const stampMs = Number(/"fundingTime":(\d+)/.exec(line)?.[1]);
    return stampMs >= Date.UTC(2023, 3, 1) && stampMs < Date.UTC(2023, 4, 1);
  });
  const file = join(folder, basename(FUNDING));
  writeFileSync(file, gzipSync(`${month.join("\n")}\n`));
  return file;
}

/**
 * The funding that a long of one bitcoin, bought a second after the beginning, pays until the end.
 */
function paid(history: Parameters<typeof books>[1]): number {
  const tape = standing(builder(), FROM_US, 281_550);
  tape.trade(FROM_US + S, FROM_US + S + MS, "SELL", 281_500, 1);
  for (let atUs = FROM_US + 2 * S; atUs < TO_US; atUs += S)
    tape.trade(atUs, atUs + MS, "BUY", 281_551, 1);
  const stage = new ReplayStage({
    markets: { [MARKET]: books(tape.build(), history) },
    strategies: {
      [MARKET]: quoting((view) => (view.positionLots === 0 ? [bid(281_545, 1000)] : [])),
    },
    startUs: FROM_US,
  });
  stage.run.play(TO_US);
  return -Number(stage.told.payments.reduce((sum, { amount }) => sum + amount, 0n)) / 1e6;
}
