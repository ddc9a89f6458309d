import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { median, trimmedMean } from "./rounds.js";
import { type Mark, type TickSample, tickPath } from "./tick-path.js";
import { parse } from "./tick-reference.js";

const ROUNDS = effort(9, 2);
const ORDERS_A_ROUND = effort(250, 3);
const WARM_UP_ORDERS = effort(2000, 3);

const US_PER_MS = 1000;

/**
 * The stages of the way, each from one mark to another; the two signatures belong to none of them.
 */
const STAGES: readonly (readonly [name: string, from: Mark, to: Mark])[] = [
  ["decode", "received", "decoded"],
  ["book", "decoded", "applied"],
  ["guards, touch and view", "applied", "viewed"],
  ["strategy", "viewed", "decided"],
  ["shape of the intent", "decided", "shaped"],
  ["plan", "shaped", "queued"],
  ["outbox", "queued", "leaving"],
  ["risk and budget", "leaving", "allowed"],
  ["build, hash and order table", "allowed", "hashed"],
  ["order parameters", "hashed", "orderSigning"],
  ["request parameters and hash", "orderSigned", "requestSigning"],
  ["hand-over", "requestSigned", "handedOver"],
];

/** The cost of the way from frame to order without parsing and signing. */
export const bench: Bench = {
  about:
    "all stages from frame to signed order but the two signatures, against JSON.parse of the frame",
  ceiling: 3,
  async run() {
    await initCrypto();
    const path = await tickPath({ isMarked: true });
    await path.take(WARM_UP_ORDERS, parse);
    const rounds: { ours: number; reference: number }[] = [];
    const all: TickSample[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const samples = await path.take(ORDERS_A_ROUND, parse);
      all.push(...samples);
      rounds.push({
        ours: trimmedMean(samples.map(overheadMs)) * US_PER_MS,
        reference: trimmedMean(samples.map(({ referenceMs }) => referenceMs)) * US_PER_MS,
      });
    }
    path.close();
    const stages = STAGES.map(([name, from, to]) => ({
      name,
      us: trimmedMean(all.map((sample) => between(sample, from, to))) * US_PER_MS,
    }));
    const total = stages.reduce((sum, { us }) => sum + us, 0);
    return {
      ours: median(rounds.map(({ ours }) => ours)),
      reference: median(rounds.map((round) => round.reference)),
      ratio: median(rounds.map((round) => round.ours / round.reference)),
      unit: "us a frame",
      referenceIs:
        "JSON.parse of the same frame, done between the bot's own frames; ours contains no JSON.parse to leave out, since book updates are read " +
        `from their text; each round the mean over ${ORDERS_A_ROUND} frames of ${path.source}, the slowest twentieth left out; stages in percent of their sum`,
      details: Object.fromEntries(stages.map(({ name, us }) => [`${name} %`, (us / total) * 100])),
    };
  },
};

function overheadMs(sample: TickSample): number {
  return (
    sample.totalMs -
    between(sample, "orderSigning", "orderSigned") -
    between(sample, "requestSigning", "requestSigned")
  );
}

function between({ marks }: TickSample, from: Mark, to: Mark): number {
  const [start, end] = [marks[from], marks[to]];
  if (start === undefined || end === undefined)
    throw new Error(`the way was not seen from ${from} to ${to}`);
  return end - start;
}
