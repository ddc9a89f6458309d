import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistoryStore } from "#history/history-store.js";
import { joinTapes } from "#history/open-tapes.js";
import type { Tape } from "#history/tape.js";
import { TapeBuilder } from "#history/tape-builder.js";
import { TapeSource } from "#history/tape-source.js";
import { captureTape, hasCapture } from "../test/support/capture-tape.js";
import type { Bench } from "./bench.js";
import { bookChanges, updateOf } from "./book-changes.js";
import { median } from "./rounds.js";
import { tiledDay } from "./tiled-day.js";

/** A test checks that it runs; its measurements then mean nothing. */
const IS_TINY = process.env.MARKETWRIGHT_BENCH === "tiny";
const ROWS = IS_TINY ? 500_000 : 50_000_000;
const ROUNDS = 3;
const CAPTURE = "btcusdt-perp_20240808";
const CHUNK_BYTES = 16 * 1024 * 1024;

/**
 * The time until a day's columns are ready for replay, every byte of them checked, against reading
 * the same bytes alone.
 */
export const bench: Bench = {
  about:
    "a day of 50 million rows read from its columns, checked and handed out tape after tape, against a plain read of the file",
  floor: 0.11,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), "marketwright-open-day-"));
    try {
      const tape = await tiledDay(
        hasCapture(CAPTURE) ? captureTape(CAPTURE) : seededTape(),
        ROWS,
        join(folder, "day.tape"),
      );
      const { tickSize, stepSize } = { tickSize: "0.1", stepSize: "0.001" };
      const source = new TapeSource({
        store: new HistoryStore(folder),
        market: "btcusdt",
        days: [
          {
            input: {
              market: "btcusdt",
              day: "2024-08-08",
              book: undefined,
              trades: undefined,
              stamped: [],
            },
            tape,
          },
        ],
        gaps: [],
        fromUs: 0,
        toUs: Number.MAX_SAFE_INTEGER,
        options: {
          steps: { tickSize, stepSize },
          baseLatencyNs: 0n,
          blockRows: tape.footer.blockRows,
        },
      });
      const ours: number[] = [];
      const reference: number[] = [];
      const shared: number[] = [];
      const { rows } = tape.footer;
      for (let round = 0; round < ROUNDS; round++) {
        reference.push(rows / (await seconds(() => plainRead(tape.path))));
        ours.push(rows / (await seconds(() => all(source, rows))));
        shared.push(rows / (await seconds(async () => void (await joinTapes(source)))));
      }
      return {
        ours: median(ours) / 1e6,
        reference: median(reference) / 1e6,
        unit: "million rows/s",
        ratio: median(ours.map((each, at) => each / (reference[at] as number))),
        referenceIs: "the same file read in its order into one buffer of 16 MiB, unchecked",
        details: {
          "as one tape in shared memory, million rows/s": median(shared) / 1e6,
          "bytes a row": fileBytes(tape.path) / rows,
          "million rows": rows / 1e6,
        },
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function all(source: TapeSource, rows: number): Promise<void> {
  let seen = 0;
  for await (const tape of source) {
    seen += tape.rows;
    source.release(tape);
  }
  if (seen !== rows) throw new Error(`${seen} rows came of ${rows}`);
}

async function plainRead(path: string): Promise<void> {
  const handle = openSync(path, "r");
  const buffer = new Uint8Array(CHUNK_BYTES);
  while (readSync(handle, buffer) > 0);
  closeSync(handle);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}

function fileBytes(path: string): number {
  const handle = openSync(path, "r");
  const { size } = fstatSync(handle);
  closeSync(handle);
  return size;
}

/** Used without recorded data: about as many rows per message as it has. */
function seededTape(): Tape {
  const [messages, changesAMessage] = [6000, 60];
  const changes = bookChanges(500, messages * changesAMessage, "open-day");
  const builder = new TapeBuilder({ marketId: "btcusdt", tickSize: "0.1", stepSize: "0.001" });
  for (let from = 0; from < messages * changesAMessage; from += changesAMessage) {
    builder.update(from * 1000, from * 1000 + 5000 + ((from * 7919) % 30_000));
    for (const { side, ticks, lots } of updateOf(changes, from, from + changesAMessage))
      builder.level(side, ticks, lots);
  }
  return builder.build();
}
