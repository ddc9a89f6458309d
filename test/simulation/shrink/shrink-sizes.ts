import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { writePageTables } from "../../../scripts/page-table.js";
import { measureJournal } from "./journal-size.js";
import { type RunSize, shrinkPlan } from "./shrink-plan.js";
import { runStory } from "./story.js";
import type { PlanBase, StoryMode } from "./story-mode.js";
import { STORY_MODES } from "./story-modes.js";

const USAGE = `npm run shrink-sizes -- --rows FILE [--mode NAME] [--break NAME] [--write]

Shrinks a failing run of every break of every mode and the journal of its bot, one row of FILE each;
what FILE has is not shrunk again. --write puts the tables of FILE into docs/reference/shrink.md.
`;

/** Market time of a seed where a mode's own is long: most breaks show in its beginning. */
const MARKET_MS: Readonly<Record<string, number>> = { maker: 1_200_000, takeovers: 600_000 };
const MOST_SEEDS = 24;
const MAX_RUNS = 80;
const MAX_REPLAYS = 300;

const size = z.strictObject({
  windows: z.number(),
  strikes: z.number(),
  passedMs: z.number(),
  events: z.number(),
});

const lines = z.strictObject({ turns: z.number(), characters: z.number() });

const journalSize = z.strictObject({
  whole: lines,
  prefix: lines,
  slice: z
    .strictObject({ ...lines.shape, when: z.string(), foundTurn: z.number(), runs: z.number() })
    .optional(),
  problem: z.string().optional(),
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
  /** Absent of a mode without a bot, and of a row from before journals were measured. */
  journal: journalSize.optional(),
});

type SizeRow = z.infer<typeof sizeRow>;
type Mode = StoryMode<PlanBase>;

async function main(args: readonly string[]): Promise<void> {
  const file = optionValue(args, "--rows");
  if (file === undefined) return void process.stdout.write(USAGE);
  const [onlyMode, onlyBreak] = [optionValue(args, "--mode"), optionValue(args, "--break")];
  const rows = existsSync(file) ? readRows(file) : [];
  for (const mode of STORY_MODES) {
    if (onlyMode !== undefined && onlyMode !== mode.name) continue;
    for (const { name } of mode.breaks) {
      if (onlyBreak !== undefined && onlyBreak !== name) continue;
      const at = rows.findIndex((one) => one.mode === mode.name && one.break === name);
      const known = rows[at];
      if (known !== undefined && (known.journal !== undefined || mode.replayParts === undefined))
        continue;
      const row = await withJournal(mode, known ?? (await shrinkBreak(mode, name)));
      if (row === undefined) {
        process.stderr.write(`${mode.name}, ${name}: no violation in ${MOST_SEEDS} seeds\n`);
        continue;
      }
      rows.splice(at < 0 ? rows.length : at, 1, row);
      writeFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
    }
  }
  const tables = { sizes: sizesTable(rows), journals: journalsTable(rows) };
  process.stdout.write(`${tables.sizes}\n\n${tables.journals}\n`);
  if (args.includes("--write")) writePageTables("shrink-sizes", tables, "shrink");
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
async function shrinkBreak(mode: Mode, breakName: string): Promise<SizeRow | undefined> {
  const modeName = mode.name;
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const plan = drawPlan(mode, seed, breakName);
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

/** The row with the sizes of the journal of its seed's run. */
async function withJournal(mode: Mode, row: SizeRow | undefined): Promise<SizeRow | undefined> {
  if (row === undefined) return undefined;
  const { seed, break: breakName } = row;
  const journal = await measureJournal(mode, drawPlan(mode, seed, breakName), {
    breakName,
    journal: `${mode.name}, ${breakName}, seed ${seed}`,
    maxRuns: MAX_REPLAYS,
  });
  return journal === undefined ? row : { ...row, journal };
}

function drawPlan(mode: Mode, seed: number, breakName: string): PlanBase {
  return mode.draw(seed, MARKET_MS[mode.name] ?? mode.marketMs, breakName);
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

function journalsTable(rows: readonly SizeRow[]): string {
  return [
    "| mode | break | turns | characters | replays | condition, or why there is no slice |",
    "|---|---|---|---|---|---|",
    ...rows.flatMap(({ mode, break: name, journal }) => {
      if (journal === undefined) return [];
      const { whole, prefix, slice, problem } = journal;
      const sizes = slice === undefined ? [whole, prefix] : [whole, prefix, slice];
      const cells = [
        mode,
        `\`${name}\``,
        sizes.map(({ turns }) => turns).join(" → "),
        sizes.map(({ characters }) => characters).join(" → "),
        slice?.runs ?? "",
        slice === undefined
          ? `the prefix ends with turn ${prefix.turns}: ${problem}`
          : `\`${slice.when}\`, first in turn ${slice.foundTurn}`,
      ];
      return [`| ${cells.join(" | ")} |`];
    }),
  ].join("\n");
}

await main(process.argv.slice(2));
