import type { Notice } from "../../src/bot/notice.js";
import { simulateLiquidator } from "../liquidator/simulation/main.js";
import { BREAKS } from "./breaks.js";
import { runInheritance } from "./inheritance.js";
import { INHERITANCE_BREAKS } from "./inheritance-breaks.js";
import { runSeed } from "./world.js";

/** `npm run simulate -- [--liquidator | --takeovers] [--seeds N] [--first-seed N] [--minutes N] [--break NAME] [--list-breaks] [--trace-from MS --trace-until MS]` */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--liquidator")) return simulateLiquidator(args);
  const takesOver = args.includes("--takeovers");
  const breaks = takesOver ? INHERITANCE_BREAKS : BREAKS;
  const value = (name: string, fallback: number): number => {
    const at = args.indexOf(name);
    const number = at < 0 ? fallback : Number(args[at + 1]);
    if (!Number.isInteger(number) || number < 0) throw new Error(`${name} takes a whole number, got ${args[at + 1]}`);
    return number;
  };
  const known = new Set([
    "--takeovers",
    "--trace-from",
    "--trace-until",
    "--seeds",
    "--first-seed",
    "--minutes",
    "--break",
    "--list-breaks",
  ]);
  const stranger = args.find((arg) => arg.startsWith("--") && !known.has(arg));
  if (stranger !== undefined) throw new Error(`${stranger} is no option; expected one of ${[...known].join(", ")}`);
  if (args.includes("--list-breaks")) {
    for (const { name, what } of breaks) process.stdout.write(`${name}: ${what}\n`);
    return 0;
  }
  const breakAt = args.indexOf("--break");
  const broken = breakAt < 0 ? undefined : breaks.find(({ name }) => name === args[breakAt + 1]);
  if (breakAt >= 0 && broken === undefined) throw new Error(`--break takes one of ${breaks.map(({ name }) => name).join(", ")}`);
  const first = value("--first-seed", 1);
  const seeds = value("--seeds", 100);
  const minutes = value("--minutes", 60);
  const traceFrom = value("--trace-from", 0);
  const traceUntil = value("--trace-until", 0);
  const trace =
    traceUntil === 0
      ? undefined
      : (atMs: number, notice: Notice): void => {
          if (atMs < traceFrom || atMs > traceUntil) return;
          process.stdout.write(
            `${atMs} ${JSON.stringify(notice, (_key, held: unknown) => (typeof held === "bigint" ? held.toString() : held))}\n`,
          );
        };
  const struck = new Map<string, number>();
  const failing: number[] = [];
  let events = 0;
  let actions = 0;
  let fills = 0;
  let violations = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const result = await (takesOver ? runInheritance : runSeed)(seed, minutes * 60_000, broken, trace);
    events += result.events;
    actions += result.actions;
    fills += result.fills;
    violations += result.violations.length;
    for (const [kind, count] of result.faults) struck.set(kind, (struck.get(kind) ?? 0) + count);
    if (result.violations.length === 0) continue;
    failing.push(seed);
    for (const { atMs, rule, text } of result.violations.slice(0, 5)) process.stdout.write(`seed ${seed} at ${atMs}: ${rule}: ${text}\n`);
    const again = [
      ...(takesOver ? ["--takeovers"] : []),
      `--first-seed ${seed} --seeds 1`,
      ...(minutes === 60 ? [] : [`--minutes ${minutes}`]),
      ...(broken === undefined ? [] : [`--break ${broken.name}`]),
    ];
    process.stdout.write(`replay it: npm run simulate -- ${again.join(" ")}\n`);
    if (broken !== undefined) break;
  }
  const kinds = [...struck].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  process.stdout.write(
    `${seeds} seeds from ${first}: ${events} events, ${actions} actions, ${fills} fills; faults: ${kinds.join(", ") || "none"}; ${violations} violations in ${failing.length} seeds\n`,
  );
  return failing.length === 0 ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 2;
  },
);
