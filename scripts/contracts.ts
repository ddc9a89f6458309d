// Compiles contracts/ into src/chain/abi/*.generated.ts. With --check it writes nothing, names each
// file that differs from the compiled sources, and exits 1.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compileContracts, GENERATED } from "./solidity.js";

const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
const folder = fileURLToPath(new URL(`../${GENERATED}`, import.meta.url));
mkdirSync(folder, { recursive: true });

const wanted = compileContracts();
const present = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".generated.ts"))
    .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
);
const stale = [...new Set([...wanted.keys(), ...present.keys()])]
  .filter((file) => wanted.get(file) !== present.get(file))
  .sort();

for (const file of stale) {
  if (values.check) {
    process.stderr.write(
      `${GENERATED}/${file} is not what contracts/ gives: run npm run contracts\n`,
    );
    process.exitCode = 1;
    continue;
  }
  const text = wanted.get(file);
  if (text === undefined) rmSync(join(folder, file));
  else writeFileSync(join(folder, file), text);
}
