import { seededRandom } from "#core/seeded-random.js";
import { VirtualClock } from "#core/virtual-clock.js";
import { START_MS } from "../../simulator/reference-client.js";

/** A clock that moves only when the test moves it, and draws that are always the same. */
export function virtualRuntime() {
  return { clock: new VirtualClock(START_MS), random: seededRandom("a client") };
}
