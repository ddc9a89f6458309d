import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { writePageTables } from "../../../scripts/page-table.js";
import { type RunSize, shrinkPlan } from "./shrink-plan.js";
import { runStory } from "./story.js";
import { STORY_MODES } from "./story-modes.js";

const USAGE = `npm run shrink-sizes -- --rows FILE [--mode NAME] [--write]

Shrinks a failing run of every break of every mode, one row of FILE each; breaks that FILE has are
not shrunk again. --write puts the table of FILE into docs/reference/shrink.md.
`;

/** Market time of a seed where a mode's own is long: most breaks show in its beginning. */
const MARKET_MS: Readonly<Record<string, number>> = { maker: 1_200_000, takeovers: 600_000 };
const MOST_SEEDS = 8;
const MAX_RUNS = 80;

const size = z.strictObject({
  windows: z.number(),
  strikes: z.number(),
  passedMs: z.number(),
  events: z.number(),
});

const sizeRow = z.strictObject({
  mode: z.string(),
  break: z.string(),
  seed: z.number(),
  rule: z.string(),
  before: size,
  after: size,
  runs: z.number(),
  /** The violation of the story with all rules: there should be none. */
  other: z.string().optional(),
});

type SizeRow = z.infer<typeof sizeRow>;

async function main(args: readonly string[]): Promise<void> {
  const file = optionValue(args, "--rows");
  if (file === undefined) return void process.stdout.write(USAGE);
  const wanted = optionValue(args, "--mode");
  const rows = existsSync(file) ? readRows(file) : [];
  for (const { name, breaks } of STORY_MODES) {
    if (wanted !== undefined && wanted !== name) continue;
    for (const broken of breaks) {
      if (rows.some((row) => row.mode === name && row.break === broken.name)) continue;
      const row = await shrinkBreak(name, broken.name);
      if (row === undefined) continue;
      rows.push(row);
      appendFileSync(file, `${JSON.stringify(row)}\n`);
    }
  }
  const table = sizesTable(rows);
  process.stdout.write(`${table}\n`);
  if (args.includes("--write")) writePageTables("shrink-sizes", { sizes: table }, "shrink");
}

function optionValue(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

function readRows(file: string): SizeRow[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => sizeRow.parse(JSON.parse(line)));
}

/** The first seed that shows a break, shrunk; undefined if none of the first ones does. */
async function shrinkBreak(modeName: string, breakName: string): Promise<SizeRow | undefined> {
  const mode = STORY_MODES.find(({ name }) => name === modeName);
  if (mode === undefined) return undefined;
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const plan = mode.draw(seed, MARKET_MS[modeName] ?? mode.marketMs, breakName);
    const shrunk = await shrinkPlan(mode, plan, { breakName, maxRuns: MAX_RUNS });
    if (shrunk === undefined) continue;
    const { before, after, runs, violation } = shrunk;
    const { rule } = violation;
    const from = { seed, size: before };
    const story = { mode: modeName, break: breakName, rule, from, size: after, plan: shrunk.plan };
    const [other] = await runStory(story, false);
    const found = { mode: modeName, break: breakName, seed, rule, before, after, runs };
    return other === undefined ? found : { ...found, other: `${other.rule}: ${other.text}` };
  }
  return undefined;
}

function sizesTable(rows: readonly SizeRow[]): string {
  const cells = (held: RunSize): readonly string[] => [
    `${held.windows}`,
    `${held.strikes}`,
    (held.passedMs / 1_000).toFixed(1),
    `${held.events}`,
  ];
  const pairs = ({ before, after }: SizeRow): readonly string[] => {
    const smaller = cells(after);
    return cells(before).map((cell, at) => `${cell} → ${smaller[at]}`);
  };
  return [
    "| mode | break | seed | rule | windows | strikes | seconds | events | runs |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows.map(
      (row) =>
        `| ${[row.mode, `\`${row.break}\``, row.seed, `\`${row.rule}\``, ...pairs(row), row.runs].join(" | ")} |`,
    ),
  ].join("\n");
}

await main(process.argv.slice(2));
