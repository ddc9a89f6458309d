import { initCrypto } from "#core/signing.js";
import type { Bench } from "./bench.js";
import { effort } from "./effort.js";
import { median, trimmedMean } from "./rounds.js";
import { tickPath } from "./tick-path.js";
import { parseAndSign } from "./tick-reference.js";

const ROUNDS = effort(9, 2);
const ORDERS_A_ROUND = effort(250, 3);
/** Until the optimising compiler has run the whole way often enough. */
const WARM_UP_ORDERS = effort(2000, 3);

const US_PER_MS = 1000;

/** A live bot from a stream's frame until the transport has the signed bytes. */
export const bench: Bench = {
  about:
    "from a stream's frame to a signed order handed to the transport, against JSON.parse of it and both signatures",
  ceiling: 1.5,
  async run() {
    const backends = await initCrypto();
    const path = await tickPath({ isMarked: false });
    const reference = parseAndSign(path.signer);
    await path.take(WARM_UP_ORDERS, reference);
    const rounds: { ours: number; reference: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const samples = await path.take(ORDERS_A_ROUND, reference);
      rounds.push({
        ours: trimmedMean(samples.map(({ totalMs }) => totalMs)) * US_PER_MS,
        reference: trimmedMean(samples.map(({ referenceMs }) => referenceMs)) * US_PER_MS,
      });
    }
    path.close();
    return {
      ours: median(rounds.map(({ ours }) => ours)),
      reference: median(rounds.map((round) => round.reference)),
      ratio: median(rounds.map((round) => round.ours / round.reference)),
      unit: "us a frame",
      referenceIs:
        `JSON.parse of the same frame, one order hash and signature, one request hash and signature (keccak ${backends.keccak}, curve ` +
        `${backends.signing}), done between the bot's own frames; each round the mean over ${ORDERS_A_ROUND} frames of ${path.source}, the slowest twentieth left out`,
    };
  },
};
