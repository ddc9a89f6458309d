import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { ConfigError } from "#core/errors.js";
import { renderRuns } from "./demo/demo-tables.js";
import { type MakerRun, runMaker } from "./demo/run-maker.js";
import { writePageTables } from "./page-table.js";

/**
 * `npm run demo-report`: runs the bot of `npm start` on twenty seeds of its exchange in virtual
 * time, and prints what it did. With `--write` the tables of docs/reference/demo.md are replaced.
 *
 * `npm run demo-report -- --bot FILE --exchange FILE --seeds 1-20 --minutes 30`
 */
const ROOT = new URL("../", import.meta.url);

/** The first and the last seed. */
type SeedRange = readonly [first: number, last: number];

/** The runs of the page's last table: two jumps each. */
const SHOCKS = {
  exchange: fileURLToPath(new URL("config/liquidations-exchange.yaml", ROOT)),
  range: [1, 6],
  minutes: 10,
} as const;

const { values } = parseArgs({
  options: {
    bot: { type: "string", default: fileURLToPath(new URL("config/bot.yaml", ROOT)) },
    exchange: { type: "string", default: fileURLToPath(new URL("config/exchange.yaml", ROOT)) },
    seeds: { type: "string", default: "1-20" },
    minutes: { type: "string", default: "30" },
    write: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
if (!(Number.isSafeInteger(minutes) && minutes >= 1 && minutes <= 1440))
  throw new ConfigError("is not a number of minutes", {
    field: "--minutes",
    value: values.minutes,
    expected: "whole minutes of the exchange's time, from 1 to 1440",
  });
const range = seedRange(values.seeds);

if (values.write) {
  const calm = renderRuns(await run(values.exchange, range, minutes), true);
  const shocks = renderRuns(await run(SHOCKS.exchange, SHOCKS.range, SHOCKS.minutes), false);
  writePageTables("demo-report", { calm: calm.trimEnd(), shocks: shocks.trimEnd() }, "demo");
} else {
  process.stdout.write(renderRuns(await run(values.exchange, range, minutes), true));
}

async function run(
  exchangeFile: string,
  [first, last]: SeedRange,
  ofMinutes: number,
): Promise<readonly MakerRun[]> {
  const runs: MakerRun[] = [];
  for (let seed = first; seed <= last; seed++) {
    runs.push(await runMaker({ botFile: values.bot, exchangeFile, seed, minutes: ofMinutes }));
    process.stderr.write(`seed ${seed} of ${exchangeFile} is done\n`);
  }
  return runs;
}

function seedRange(text: string): SeedRange {
  const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text);
  const from = Number(match?.[1]);
  const to = Number(match?.[2] ?? match?.[1]);
  if (from <= to) return [from, to];
  throw new ConfigError("is not a range of seeds", {
    field: "--seeds",
    value: text,
    expected: "two whole numbers such as 1-20, or one",
  });
}
