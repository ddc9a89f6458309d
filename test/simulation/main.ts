import type { BotEvent } from "#bot/bot-event.js";
import { simulateLiquidator } from "../liquidator/simulation/main.js";
import { runAcquiredPositions } from "./acquired-positions.js";
import { ACQUIRED_POSITIONS_BREAKS } from "./acquired-positions-breaks.js";
import { BREAKS } from "./breaks.js";
import { HEDGE_BREAKS } from "./hedge/hedge-breaks.js";
import { runHedge } from "./hedge/run-hedge.js";
import { REFERENCE_BREAKS } from "./references/reference-breaks.js";
import { runReferences } from "./references/run-references.js";
import { DEFAULT_SHRINK_RUNS, playStory, shrinkSeed } from "./shrink/story-command.js";
import type { Violation } from "./violation.js";
import { runWhole } from "./whole/run-whole.js";
import { WHOLE_BREAKS } from "./whole/whole-breaks.js";
import { runSeed } from "./world.js";

const USAGE = `npm run simulate -- [--maker | --takeovers | --references | --hedge | --liquidator] [options]

Runs the real bot against the real embedded exchange in virtual time, with faults that a seed determines.

  (no mode)      the whole system: exchange with chain, market maker and liquidator in one account, guard
  --maker        the market maker alone for an hour, with manual orders and transfers
  --takeovers    the market maker with acquired positions, some larger than its limit, some reverted
  --references   the market maker priced by two or three outside sources that fail
  --hedge        the market maker with its position laid off on a second exchange; both have faults
  --liquidator   the liquidator alone, with rival liquidators and reorganisations

  --seeds N                      number of seeds (100)
  --first-seed N                 first seed (1)
  --minutes N                    market time of each seed (2; of --maker and --takeovers 60)
  --break NAME                   switch one rule off, and stop at the first seed with a violation
  --list-breaks                  the breaks of the mode
  --shrink                       shrink the first seed's failing run to a short story
  --shrink-runs N                candidates that are run at most (150)
  --out FILE                     write the story to a new file
  --story FILE                   run a story, with its break and without
  --trace-from MS --trace-until MS   print the events between two instants of virtual time
  --help                         this text
`;

/** The result of one seed, in any mode. */
interface Result {
  readonly events: number;
  readonly actions: number;
  readonly fills: number;
  readonly takeovers?: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

type Trace = (atMs: number, notice: BotEvent | { readonly kind: string }) => void;

/** A way to simulate, bound to the break that it runs with. */
interface Mode {
  readonly flag: string | undefined;
  readonly minutes: number;
  readonly breaks: readonly { readonly name: string; readonly what: string }[];
  readonly run: (
    seed: number,
    marketMs: number,
    breakName: string | undefined,
    trace: Trace | undefined,
  ) => Promise<Result>;
}

function modeOf<Broken extends { readonly name: string; readonly what: string }>(
  flag: string | undefined,
  minutes: number,
  breaks: readonly Broken[],
  run: (seed: number, marketMs: number, broken?: Broken, trace?: Trace) => Promise<Result>,
): Mode {
  const named = (name: string | undefined) => breaks.find((broken) => broken.name === name);
  return {
    flag,
    minutes,
    breaks,
    run: (seed, marketMs, breakName, trace) => run(seed, marketMs, named(breakName), trace),
  };
}

const MODES: readonly Mode[] = [
  modeOf(undefined, 2, WHOLE_BREAKS, runWhole),
  modeOf("--maker", 60, BREAKS, runSeed),
  modeOf("--takeovers", 60, ACQUIRED_POSITIONS_BREAKS, runAcquiredPositions),
  modeOf("--references", 2, REFERENCE_BREAKS, runReferences),
  modeOf("--hedge", 2, HEDGE_BREAKS, runHedge),
];

const OPTIONS = [
  "--trace-from",
  "--trace-until",
  "--seeds",
  "--first-seed",
  "--minutes",
  "--break",
  "--list-breaks",
  "--shrink",
  "--shrink-runs",
  "--out",
  "--story",
  "--help",
];

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (args.includes("--liquidator")) return simulateLiquidator(args);
  const mode =
    MODES.find(({ flag }) => flag !== undefined && args.includes(flag)) ?? (MODES[0] as Mode);
  const known = [...OPTIONS, ...(mode.flag === undefined ? [] : [mode.flag])];
  const unknown = args.find((arg) => arg.startsWith("--") && !known.includes(arg));
  if (unknown !== undefined)
    throw new Error(
      `${unknown} is not an option here: expected one of ${known.join(", ")}\n\n${USAGE}`,
    );
  if (args.includes("--story")) return playStory(valueAfter(args, "--story"));
  if (args.includes("--list-breaks")) {
    for (const { name, what } of mode.breaks) process.stdout.write(`${name}: ${what}\n`);
    return 0;
  }
  return simulate(mode, args);
}

async function simulate(mode: Mode, args: readonly string[]): Promise<number> {
  const value = (name: string, fallback: number): number => {
    const at = args.indexOf(name);
    const number = at < 0 ? fallback : Number(args[at + 1]);
    if (!Number.isInteger(number) || number < 0)
      throw new Error(`${name} takes a whole number, got ${args[at + 1]}`);
    return number;
  };
  const breakAt = args.indexOf("--break");
  const breakName = breakAt < 0 ? undefined : args[breakAt + 1];
  if (breakAt >= 0 && !mode.breaks.some(({ name }) => name === breakName))
    throw new Error(`--break takes one of ${mode.breaks.map(({ name }) => name).join(", ")}`);
  const [first, seeds, minutes] = [
    value("--first-seed", 1),
    value("--seeds", 100),
    value("--minutes", mode.minutes),
  ];
  if (args.includes("--shrink"))
    return shrinkSeed({
      mode: mode.flag?.slice("--".length) ?? "whole",
      seed: first,
      marketMs: minutes * 60_000,
      breakName,
      maxRuns: value("--shrink-runs", DEFAULT_SHRINK_RUNS),
      out: args.includes("--out") ? valueAfter(args, "--out") : undefined,
    });
  const trace = traceBetween(value("--trace-from", 0), value("--trace-until", 0));
  const struck = new Map<string, number>();
  const sum = { events: 0, actions: 0, fills: 0, takeovers: 0, violations: 0, failing: 0 };
  let ran = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const result = await mode.run(seed, minutes * 60_000, breakName, trace);
    ran += 1;
    sum.events += result.events;
    sum.actions += result.actions;
    sum.fills += result.fills;
    sum.takeovers += result.takeovers ?? 0;
    sum.violations += result.violations.length;
    for (const [kind, count] of result.faults) struck.set(kind, (struck.get(kind) ?? 0) + count);
    if (result.violations.length === 0) continue;
    sum.failing += 1;
    for (const { atMs, rule, text } of result.violations.slice(0, 5))
      process.stdout.write(`seed ${seed} at ${atMs}: ${rule}: ${text}\n`);
    const again = [
      ...(mode.flag === undefined ? [] : [mode.flag]),
      `--first-seed ${seed} --seeds 1`,
      ...(minutes === mode.minutes ? [] : [`--minutes ${minutes}`]),
      ...(breakName === undefined ? [] : [`--break ${breakName}`]),
    ];
    process.stdout.write(`run it again: npm run simulate -- ${again.join(" ")}\n`);
    if (breakName !== undefined) break;
  }
  const kinds = [...struck]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  const counts = `${sum.events} events, ${sum.actions} actions, ${sum.fills} fills, ${sum.takeovers} takeovers`;
  process.stdout.write(
    `${ran} seeds from ${first}: ${counts}; faults: ${kinds.join(", ") || "none"}; ${sum.violations} violations in ${sum.failing} seeds\n`,
  );
  return sum.failing === 0 ? 0 : 1;
}

function valueAfter(args: readonly string[], name: string): string {
  const value = args[args.indexOf(name) + 1];
  if (value === undefined || value.startsWith("--"))
    throw new Error(`${name} is missing its value: expected the path of a file`);
  return value;
}

/** The trace that prints every event between two instants; undefined when no instants are given. */
function traceBetween(fromMs: number, untilMs: number): Trace | undefined {
  if (untilMs === 0) return undefined;
  const plain = (_key: string, held: unknown): unknown =>
    typeof held === "bigint"
      ? held.toString()
      : held instanceof Error
        ? held.message
        : held instanceof Set
          ? [...held]
          : held;
  return (atMs, notice) => {
    if (atMs >= fromMs && atMs <= untilMs)
      process.stdout.write(`${atMs} ${JSON.stringify(notice, plain)}\n`);
  };
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exitCode = 2;
  },
);
