import { parseArgs } from "node:util";
import { ConfigError } from "#core/errors.js";
import { MINUTE_MS } from "#core/units.js";
import type { RehearsedFault } from "#rehearsal/rehearsed-fault.js";
import { rehearseSetup, SOUND_SETUPS, WEAK_SETUPS } from "../test/rehearsal/setups.js";
import { renderFaults, renderSound, renderWeak } from "./rehearsal/rehearsal-tables.js";

/**
 * `npm run rehearse-report`: rehearses the bot of `npm start` and the setups of the tests, and
 * prints what was found. A weak setup is rehearsed under the fault that hurts it. It needs
 * a build of these sources.
 *
 * `npm run rehearse-report -- --seeds 20 --setup-seeds 5`
 */
const MARKET_MS = 5 * MINUTE_MS;
const DEMO = "config/bot.yaml";
/** Beside the runs without a fault, where those show the weakness. */
const CHEAP: RehearsedFault = "frame-repeated";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    "setup-seeds": { type: "string", default: "5" },
  },
});
const demoSeeds = seedsTo("--seeds", values.seeds);
const setupSeeds = seedsTo("--setup-seeds", values["setup-seeds"]);

const sound = [];
for (const setup of SOUND_SETUPS) {
  const seeds = setup.file === DEMO ? demoSeeds : setupSeeds;
  sound.push(await rehearseSetup(setup, { seeds, faults: [], marketMs: MARKET_MS, threads: 2 }));
  process.stderr.write(`${setup.file} is done\n`);
}
const weak = [];
for (const setup of WEAK_SETUPS) {
  const faults = setup.fault === "none" ? [CHEAP] : [setup.fault];
  const options = { seeds: demoSeeds, faults, marketMs: MARKET_MS, threads: 2 };
  weak.push({ setup, report: await rehearseSetup(setup, options) });
  process.stderr.write(`${setup.file} is done\n`);
}
const demo = sound.find(({ bot }) => bot === DEMO);
const tables = [
  ...(demo === undefined ? [] : [renderFaults(demo)]),
  renderWeak(weak),
  renderSound(sound),
];
process.stdout.write(`${tables.join("\n\n")}\n`);

function seedsTo(field: string, text: string): number[] {
  const last = Number(text);
  if (Number.isSafeInteger(last) && last >= 1 && last <= 1000)
    return Array.from({ length: last }, (_, at) => at + 1);
  throw new ConfigError("is not a number of seeds", {
    field,
    value: text,
    expected: "a whole number from 1 to 1000",
  });
}
