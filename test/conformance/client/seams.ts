import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { START_MS } from "../../simulator/reference-client.js";

/** Time that stands still unless it is told to pass, and draws that are always the same. */
export function virtualSeam() {
  return { clock: new VirtualClock(START_MS), random: seededRandom("a client") };
}
