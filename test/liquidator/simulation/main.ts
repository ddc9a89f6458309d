import { DEFAULT_SHRINK_RUNS, shrinkSeed } from "../../simulation/shrink/story-command.js";
import { BREAKS } from "./breaks.js";
import { runSeed } from "./run-seed.js";
import { LIQUIDATOR_MS } from "./seed-plan.js";

const OPTIONS = new Set([
  "--liquidator",
  "--seeds",
  "--first-seed",
  "--break",
  "--list-breaks",
  "--shrink",
  "--shrink-runs",
  "--out",
]);

/**
 * `npm run simulate -- --liquidator [--seeds N] [--first-seed N] [--break NAME] [--list-breaks]
 * [--shrink [--shrink-runs N] [--out FILE]]`.
 * @returns the exit code.
 */
export async function simulateLiquidator(args: readonly string[]): Promise<number> {
  const stranger = args.find((arg) => arg.startsWith("--") && !OPTIONS.has(arg));
  if (stranger !== undefined)
    throw new Error(
      `--liquidator does not accept ${stranger}: expected one of ${[...OPTIONS].join(", ")}`,
    );
  if (args.includes("--list-breaks")) {
    for (const { name, what } of BREAKS) process.stdout.write(`${name}: ${what}\n`);
    return 0;
  }
  const first = wholeNumber(args, "--first-seed", 1);
  const seeds = wholeNumber(args, "--seeds", 100);
  const wanted = args.includes("--break") ? args[args.indexOf("--break") + 1] : undefined;
  const broken = BREAKS.find(({ name }) => name === wanted);
  if (args.includes("--break") && broken === undefined)
    throw new Error(`--break takes one of ${BREAKS.map(({ name }) => name).join(", ")}`);
  if (args.includes("--shrink"))
    return shrinkSeed({
      mode: "liquidator",
      seed: first,
      marketMs: LIQUIDATOR_MS,
      breakName: broken?.name,
      maxRuns: wholeNumber(args, "--shrink-runs", DEFAULT_SHRINK_RUNS),
      out: args.includes("--out") ? args[args.indexOf("--out") + 1] : undefined,
    });
  const struck = new Map<string, number>();
  const sum = { sent: 0, won: 0, lost: 0, reverted: 0, violations: 0, failing: 0 };
  for (let seed = first; seed < first + seeds; seed += 1) {
    const { violations, sent, won, lost, reverted, faults } = await runSeed(seed, broken);
    sum.sent += sent;
    sum.won += won;
    sum.lost += lost;
    sum.reverted += reverted;
    sum.violations += violations.length;
    for (const [kind, count] of faults) struck.set(kind, (struck.get(kind) ?? 0) + count);
    if (violations.length === 0) continue;
    sum.failing += 1;
    for (const { rule, text } of violations.slice(0, 5))
      process.stdout.write(`seed ${seed}: ${rule}: ${text}\n`);
    const again = `--liquidator --first-seed ${seed} --seeds 1${broken === undefined ? "" : ` --break ${broken.name}`}`;
    process.stdout.write(`replay it: npm run simulate -- ${again}\n`);
    if (broken !== undefined) break;
  }
  const kinds = [...struck]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  const { sent, won, lost, reverted, violations, failing } = sum;
  process.stdout.write(
    `${seeds} seeds from ${first}: ${sent} transactions signed, ${won} won, ${lost} lost, ${reverted} reverted; ${kinds.join(", ")}; ${violations} violations in ${failing} seeds\n`,
  );
  return failing === 0 ? 0 : 1;
}

function wholeNumber(args: readonly string[], name: string, fallback: number): number {
  const at = args.indexOf(name);
  const number = at < 0 ? fallback : Number(args[at + 1]);
  if (!Number.isInteger(number) || number < 0)
    throw new Error(`${name} takes a whole number, got ${args[at + 1]}`);
  return number;
}
