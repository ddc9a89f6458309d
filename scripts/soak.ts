import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SEED_VARIABLE } from "../test/support/property-seed.js";

// Runs the tests that draw from fast-check, or the given files, with one seed after another; exits
// 1 if one fails.
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LARGEST_SEED = 2 ** 31 - 1;

const { values, positionals } = parseArgs({
  options: {
    times: { type: "string", default: "10" },
    seed: { type: "string", default: String(randomInt(LARGEST_SEED)) },
  },
  allowPositionals: true,
});
const times = whole("--times", values.times, 1);
const first = whole("--seed", values.seed, 0);
const files = positionals.length > 0 ? positionals : filesWithProperties();

const failed: number[] = [];
for (let round = 0; round < times; round += 1) {
  const seed = (first + round) % LARGEST_SEED;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...files],
    {
      cwd: ROOT,
      env: { ...process.env, [SEED_VARIABLE]: String(seed), NO_COLOR: "1" },
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    },
  );
  if (status !== 0) {
    failed.push(seed);
    // The failures are on this stream; the other lists every file that passed.
    process.stdout.write(stderr);
  }
  process.stdout.write(
    `seed ${seed}: ${status === 0 ? stdout.trim().split("\n").at(-1) : "failed"}\n`,
  );
}
process.stdout.write(`${times} seeds, ${failed.length} failed\n`);
for (const seed of failed)
  process.stdout.write(
    `again: npm run soak -- --times 1 --seed ${seed} ${positionals.join(" ")}\n`,
  );
process.exitCode = failed.length === 0 ? 0 : 1;

function filesWithProperties(): string[] {
  return readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
    .map((name) => join("test", name))
    .filter(
      (name) =>
        name.endsWith(".test.ts") &&
        readFileSync(join(ROOT, name), "utf8").includes('from "fast-check"'),
    )
    .sort();
}

function whole(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new RangeError(`${option}: ${text}, expected a whole number from ${least}`);
  return value;
}
