import type { Random } from "#core/runtime.js";
import { seededRandom } from "#core/seeded-random.js";
import type { Ms } from "#core/units.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { FaultSource } from "#simulation/faults.js";
import { FaultyNetwork } from "#simulation/faulty-network.js";
import type { CaptureFiles } from "#simulator/capture-files.js";
import { btcGrid } from "../simulator/flow/capture-fixture.js";
import { type ReplayResult, replayBotConfig, replayingExchange, runReplay } from "./replay-run.js";

const FUNDING_INTERVAL_MS: Ms = 28_800_000;
/**
 * Exchange time from the start to the first funding: in the middle of the captures at 20 times
 * their speed.
 */
const FUNDING_AFTER_MS: Ms = 9_500;
/** A whole number of funding intervals since the epoch. */
const FUNDING_MS: Ms = Math.floor(1_723_200_000_000 / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS;

/**
 * Every delay of the network at its least, a millisecond or two: at 20 times its speed a market
 * moves that much while an order travels.
 */
const QUICKEST: Random = { uniform: () => 0, uint64: () => 0n };

/**
 * The bot of `config/replay.yaml` on a capture, in virtual time, over a network in memory that
 * loses nothing.
 */
export async function replayInVirtualTime(
  files: CaptureFiles,
  speed: number,
): Promise<ReplayResult> {
  const clock = new VirtualClock(FUNDING_MS - FUNDING_AFTER_MS);
  const runtime = { clock, random: seededRandom("replay") };
  const replaying = replayingExchange(runtime, files, { speed });
  await replaying.replay.preload(btcGrid);
  replaying.exchange.start();
  const pass = (ms: Ms): Promise<void> => clock.runFor(ms);
  return runReplay(replaying, replayBotConfig(), {
    runtime,
    transport: new FaultyNetwork(
      replaying.exchange,
      clock,
      new FaultSource([], QUICKEST),
      "10.0.0.1",
    ),
    pass,
    sampleEveryMs: 1_000 / speed,
    until: async (promise) => {
      let settled = false;
      const settle = (): void => {
        settled = true;
      };
      promise.then(settle, settle);
      for (let waitedMs = 0; !settled && waitedMs < 120_000; waitedMs += 5) await pass(5);
      if (!settled) throw new Error("nothing came of it within two minutes");
      return promise;
    },
  });
}
