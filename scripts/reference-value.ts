import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ConfigError } from "#core/errors.js";
import { missingCaptures } from "./reference-value/value-captures.js";
import { runJobs, type ValueJob } from "./reference-value/value-pool.js";
import { ARMS, MARKETS, SEEDS_MARKET } from "./reference-value/value-run.js";
import { renderMarket, renderSeeds } from "./reference-value/value-tables.js";

/**
 * `npm run reference-value`: trades recorded prices on an exchange that follows them late, with
 * `ladder` on the exchange's mid and with `pegged`, on fifty seeds in virtual time. Prints the
 * tables; with `--write` those of docs/reference/reference-value.md are replaced.
 *
 * `npm run reference-value -- --seeds 1-50 --processes 2`
 */
const PAGE = new URL("../docs/reference/reference-value.md", import.meta.url);

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1-50" },
    processes: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  },
});
const seeds = seedsFrom(values.seeds);
const processes = wholeNumber("--processes", values.processes, 1, 64);

const missing = missingCaptures();
if (missing.length > 0) {
  process.stderr.write(
    `the recorded prices are not on this machine (MARKETWRIGHT_DATA): ${missing.join(", ")}\n`,
  );
} else {
  const jobs = MARKETS.flatMap((market) =>
    seeds.flatMap((seed) => ARMS.map((arm): ValueJob => ({ arm, seed, market }))),
  );
  let done = 0;
  const answers = await runJobs(jobs, processes, () => {
    done += 1;
    if (done % 20 === 0) process.stderr.write(`${done} of ${jobs.length} runs are done\n`);
  });
  const means = MARKETS.map(({ name }) => renderMarket(answers, name)).join("\n\n");
  const single = renderSeeds(answers, SEEDS_MARKET);
  if (values.write) {
    const page = withTables(readFileSync(PAGE, "utf8"), "means", means);
    writeFileSync(PAGE, withTables(page, "seeds", single));
  } else process.stdout.write(`${means}\n\n${single}\n`);
}

function seedsFrom(text: string): readonly number[] {
  const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text);
  const first = Number(match?.[1]);
  const last = Number(match?.[2] ?? match?.[1]);
  if (first >= 1 && first < last) {
    return Array.from({ length: last - first + 1 }, (_, at) => first + at);
  }
  throw new ConfigError("is not a range of seeds", {
    field: "--seeds",
    value: text,
    expected: "two whole numbers such as 1-50: an interval needs two seeds at least",
  });
}

function wholeNumber(field: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text !== "" && Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ConfigError("is not a whole number in its range", {
    field,
    value: text,
    expected: `from ${least} to ${most}`,
  });
}

/** Replaces the tables between two comments of the page. */
function withTables(page: string, name: string, tables: string): string {
  const begin = `<!-- ${name}: written by npm run reference-value -- --write -->\n`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from)
    throw new ConfigError("lacks the comments around a table", {
      field: "docs/reference/reference-value.md",
      value: name,
      expected: `${begin.trim()} and ${end}`,
    });
  return `${page.slice(0, from + begin.length)}\n${tables}\n\n${page.slice(to)}`;
}
