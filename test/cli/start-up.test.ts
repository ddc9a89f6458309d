import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { builtCommand } from "../support/built-command.js";

const folder = mkdtempSync(join(tmpdir(), "start-up-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Files that a command line loads, as addresses, by the coverage that Node itself writes. */
function loadedBy(...args: string[]): readonly string[] {
  const coverage = mkdtempSync(join(folder, "run-"));
  spawnSync(process.execPath, [builtCommand(), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NODE_V8_COVERAGE: coverage },
  });
  return readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  });
}

/** The packages among these files, each once. */
function packagesIn(files: readonly string[]): readonly string[] {
  const names = files.flatMap(
    (file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

describe("the start of a command", () => {
  it.each([
    [["--version"]],
    [["--help"]],
    [["run", "--help"]],
    [["backtest", "--help"]],
    [["data", "import", "--help"]],
  ])("%j loads no package but the parser of the command line", (args) => {
    const files = loadedBy(...args);
    expect(packagesIn(files)).toEqual(["commander"]);
    expect(files.filter((file) => file.includes("/dist/cli/commands/"))).toEqual([]);
  });

  it("loads the packages of an exchange that runs, and those of its chain once that starts", () => {
    const packages = packagesIn(loadedBy("exchange", "no-such.yaml"));
    expect(packages).toContain("fastify");
    expect(packages).not.toContain("ethers");
    expect(packages).not.toContain("@nomicfoundation/edr");
  });

  it.each([[["status"]], [["halt"]], [["key", "address", "no-such.json"]]])(
    "%j loads neither the exchange nor the chain, streams, HTTP or DuckDB",
    (args) => {
      const packages = packagesIn(loadedBy(...args));
      expect(packages).toContain("commander");
      for (const heavy of [
        "@duckdb/node-api",
        "@nomicfoundation/edr",
        "ethers",
        "fastify",
        "rxjs",
        "undici",
        "ws",
      ])
        expect(packages).not.toContain(heavy);
    },
  );
});
