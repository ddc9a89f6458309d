import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT_ROOT } from "./checkout.js";
import { ENTRIES } from "./public-exports.js";

/** A folder in which a user's TypeScript finds the public entries by their names. */
export interface ProgramFolder {
  readonly path: string;
  readonly tsconfig: string;
  /** Arguments to Node that run TypeScript. */
  readonly nodeArguments: readonly string[];
}

export function createProgramFolder(): ProgramFolder {
  const path = mkdtempSync(join(tmpdir(), "marketwright-programs-"));
  const tsconfig = join(path, "tsconfig.json");
  mkdirSync(join(path, "node_modules"));
  writeFileSync(join(path, "package.json"), '{ "type": "module" }');
  for (const name of ["rxjs", "zod"]) {
    symlinkSync(join(PROJECT_ROOT, "node_modules", name), join(path, "node_modules", name));
  }
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: "ES2023",
    module: "NodeNext",
    types: ["node"],
    typeRoots: [join(PROJECT_ROOT, "node_modules/@types")],
    paths: Object.fromEntries(
      Object.entries(ENTRIES).map(([name, entry]) => [name, [join(PROJECT_ROOT, entry)]]),
    ),
  };
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  return {
    path,
    tsconfig,
    nodeArguments: ["--import", join(PROJECT_ROOT, "node_modules/tsx/dist/loader.mjs")],
  };
}
