import { readdirSync } from "node:fs";
import { type Bench, type BenchResult, BenchUnavailable } from "./bench.js";

const SUFFIX = ".bench.ts";

const names = readdirSync(new URL(".", import.meta.url))
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
  .sort();

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const options = process.argv.slice(2).filter((argument) => argument.startsWith("--"));
const json = options.includes("--json");

process.exitCode = await main();

async function main(): Promise<number> {
  const wrong =
    options.find((option) => option !== "--json") ?? asked.find((name) => !names.includes(name));
  if (wrong !== undefined) {
    process.stderr.write(
      `bench: ${JSON.stringify(wrong)} is not understood; expected NAME... [--json], each NAME one of ${names.join(", ")}\n`,
    );
    return 2;
  }
  if (asked.length === 0) {
    const benches = await Promise.all(
      names.map(async (each) => ({ name: each, bench: await load(each) })),
    );
    process.stdout.write(
      json
        ? `${JSON.stringify(benches.map(({ name: each, bench }) => ({ name: each, about: bench.about })))}\n`
        : benches.map(({ name: each, bench }) => `${each.padEnd(24)}${bench.about}\n`).join(""),
    );
    return 0;
  }
  for (const name of asked) process.stdout.write(await measured(name));
  return 0;
}

/** The output of one benchmark: a line of JSON, or a few lines for people. */
async function measured(name: string): Promise<string> {
  const bench = await load(name);
  try {
    const result = { name, ...(await bench.run()) };
    return json ? `${JSON.stringify(result)}\n` : inWords(result, bench);
  } catch (error) {
    if (!(error instanceof BenchUnavailable)) throw error;
    const { message: unavailable } = error;
    return json
      ? `${JSON.stringify({ name, unavailable })}\n`
      : `${name}: not measured: ${unavailable}\n`;
  }
}

async function load(name: string): Promise<Bench> {
  const { bench } = (await import(`./${name}${SUFFIX}`)) as { bench: Bench };
  return bench;
}

function inWords(
  { name, ours, reference, unit, ratio, referenceIs, details = {} }: BenchResult,
  { floor, ceiling }: Bench,
): string {
  const wanted =
    floor === undefined
      ? ceiling === undefined
        ? ""
        : ` (at most ${ceiling})`
      : ` (at least ${floor})`;
  const lines = [
    `${name}: ${short(ours)} ${unit} against ${short(reference)} ${unit}, ratio ${short(ratio)}${wanted}`,
    `reference: ${referenceIs}`,
    ...Object.entries(details).map(([what, value]) => `  ${what}: ${short(value)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
