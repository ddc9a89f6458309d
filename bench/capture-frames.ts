import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Instrument } from "#core/instrument.js";
import { seededRandom } from "#core/seeded-random.js";
import { recordedDataFolder } from "#simulator/data-folder.js";

const CAPTURE = "btcusdt-perp_20240808";
/**
 * The shape of the seeded frames: updates of 2 to 200 levels, half of them of fewer than 35, as in
 * the capture.
 */
const SEEDED = { frames: 4000, snapshotLevels: 1000, mostLevelsASide: 100, midTicks: 618_000 };

/** A stretch of a market's book as the exchange's own stream would send it, repeated endlessly. */
export interface CaptureFrames {
  /** The origin of the frames, in words. */
  readonly source: string;
  /** The number of frames until the stretch repeats with its snapshot. */
  readonly length: number;
  /** The `/multiple` frame at an index, from 0; the index is its sequence. */
  frame(at: number): string;
}

type Level = readonly [price: string, amount: string];

interface Message {
  readonly type: "snapshot" | "update";
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

interface RecordedSequence {
  /** The sequence of a snapshot. */
  readonly sequence?: number;
  /** The last sequence of an update. */
  readonly endSequence?: number;
}

/**
 * The frames of the recorded capture from its snapshot on, in the exchange's own format; without
 * recorded data, seeded ones of the same shape.
 */
export function captureFrames(instrument: Instrument): CaptureFrames {
  const file = `${recordedDataFolder()}/books/${CAPTURE}.ndjson.gz`;
  const isRecorded = existsSync(file);
  const messages = [
    ...(isRecorded ? recordedMessages(file, instrument) : seededMessages(instrument)),
  ];
  return {
    source: isRecorded
      ? `the recorded capture ${CAPTURE}`
      : "seeded frames of the capture's shape (no recorded data here)",
    length: messages.length,
    frame: (at) => frameOf(instrument.marketId, messages[at % messages.length], at),
  };
}

/** Sequences are renumbered, one per frame: the capture's own gaps would count as losses. */
function frameOf(marketId: string, { type, bids, asks }: Message, sequence: number): string {
  const numbers =
    type === "snapshot" ? { sequence } : { beginSequence: sequence, endSequence: sequence };
  return JSON.stringify({
    stream: `${marketId}@orderbook`,
    data: { event: type, ...numbers, bids, asks },
  });
}

function* recordedMessages(file: string, instrument: Instrument): Iterable<Message> {
  let from: number | undefined;
  for (const line of gunzipSync(readFileSync(file)).toString("utf8").split("\n")) {
    if (line === "") continue;
    const {
      type,
      sequence = 0,
      endSequence = 0,
      bids,
      asks,
    } = JSON.parse(line) as Message & RecordedSequence;
    if (type === "snapshot") from = sequence;
    // The snapshot already contains this update.
    else if (from === undefined || endSequence < from) continue;
    yield { type, bids: respelled(bids, instrument), asks: respelled(asks, instrument) };
  }
}

/** The exchange writes no trailing zeros. */
function respelled(levels: readonly Level[], instrument: Instrument): Level[] {
  return levels.map(([price, amount]) => [
    instrument.formatPrice(instrument.parsePrice(price)),
    instrument.formatAmount(instrument.parseAmount(amount)),
  ]);
}

/** A book whose mid moves by a tick or two with each frame, with most changes near the touch. */
function* seededMessages(instrument: Instrument): Iterable<Message> {
  const random = seededRandom("capture-frames");
  const level = (ticks: number, lots: number): Level => [
    instrument.formatPrice(ticks),
    instrument.formatAmount(lots),
  ];
  const lots = (): number => 1 + Math.floor(random.uniform() ** 3 * 5000);
  let mid = SEEDED.midTicks;
  const depth = Array.from({ length: SEEDED.snapshotLevels }, (_, index) => index + 1);
  yield {
    type: "snapshot",
    bids: depth.map((at) => level(mid - at, lots())),
    asks: depth.map((at) => level(mid + at, lots())),
  };
  for (let frame = 1; frame < SEEDED.frames; frame += 1) {
    const step = random.uniform() < 0.5 ? 1 : -1;
    const [before, after] = [mid, mid + step];
    mid = after;
    const away = (): number => 2 + Math.floor(random.uniform() ** 3 * 600);
    const count = Math.floor(random.uniform() ** 2.6 * SEEDED.mostLevelsASide);
    const changes = (sign: 1 | -1): Map<number, number> => {
      const side = new Map<number, number>();
      for (let at = 0; at < count; at += 1)
        side.set(mid + sign * away(), random.uniform() < 0.2 ? 0 : lots());
      return side;
    };
    const bids = changes(-1)
      .set(after, 0)
      .set(after - 1, lots());
    const asks = changes(1)
      .set(after, 0)
      .set(after + 1, lots());
    if (step > 0) bids.set(before, lots());
    else asks.set(before, lots());
    const spelled = (side: ReadonlyMap<number, number>): Level[] =>
      [...side].sort(([a], [b]) => a - b).map(([ticks, size]) => level(ticks, size));
    yield { type: "update", bids: spelled(bids), asks: spelled(asks) };
  }
}
