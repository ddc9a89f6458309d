import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  installOptionalText,
  installPartsText,
  loadOptional,
  OPTIONAL_PARTS,
  requireInstalled,
} from "#core/optional-part.js";
import { PROJECT_ROOT } from "../project/checkout.js";

const folder = mkdtempSync(join(tmpdir(), "mw-optional-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** The folder of the package's manifest, below a folder of packages with or without a manifest. */
function installedAt(name: string, hasManifest: boolean): string {
  const project = join(folder, name);
  mkdirSync(project, { recursive: true });
  if (hasManifest) writeFileSync(join(project, "package.json"), "{}");
  return join(project, "node_modules", "marketwright") + sep;
}

describe("the packages that a bot alone does without", () => {
  it("are those that package.json calls optional, and a full installation has them all", () => {
    const { optionalDependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"),
    ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
    expect([...OPTIONAL_PARTS].sort()).toEqual(
      [...Object.keys(optionalDependencies), ...Object.keys(peerDependencies)].sort(),
    );
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }])),
    );
    expect(() => requireInstalled(OPTIONAL_PARTS)).not.toThrow();
  });

  // One static import, and every command that reaches the module fails without the package.
  it("are imported by no module except as types", () => {
    const src = join(PROJECT_ROOT, "src");
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    expect(files.length).toBeGreaterThan(500);
    const names = OPTIONAL_PARTS.join("|");
    const statically = new RegExp(
      `^(?:import|export)\\s(?!type\\s)(?:[^;(=]*\\bfrom\\s+)?["'](?:${names})["'/]`,
      "m",
    );
    const dynamically = new RegExp(`[^.\\w](?:import|require)\\(["'](?:${names})["'/]`);
    expect(statically.test('import fs from "fs";\nimport { open } from "lmdb";')).toBe(true);
    expect(
      files.filter((name) => {
        const text = readFileSync(join(src, name), "utf8").replaceAll(/typeof import\(/g, "");
        return (
          statically.test(text) ||
          (dynamically.test(text) && name !== join("core", "optional-part.ts"))
        );
      }),
    ).toEqual([]);
  });

  it("are loaded with their exports", async () => {
    expect((await loadOptional("bullmq")).Queue).toBeTypeOf("function");
    expect((await loadOptional("ioredis")).Redis).toBeTypeOf("function");
  });
});

describe("the command that installs a missing package", () => {
  it("is run in the folder that holds node_modules", () => {
    const project = join(folder, "project");
    expect(installOptionalText(installedAt("project", true))).toBe(
      `run "npm install --include=optional" in ${project}`,
    );
  });

  it("names the package where the program is installed for all users of the machine", () => {
    expect(installOptionalText(installedAt("lib", false))).toBe(
      'run "npm install --global --include=optional marketwright"',
    );
  });

  it("names the version of a package that only its users install", () => {
    const { peerDependencies, devDependencies } = JSON.parse(
      readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"),
    ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
    expect(peerDependencies.ccxt).toBe(devDependencies.ccxt);
    expect(installPartsText(["ccxt"], installedAt("peers", true))).toBe(
      `run "npm install ccxt@${peerDependencies.ccxt}" in ${join(folder, "peers")}`,
    );
    expect(installPartsText(["ccxt"], installedAt("peers-of-all", false))).toBe(
      `run "npm install --global ccxt@${peerDependencies.ccxt}"`,
    );
    expect(installPartsText(["lmdb"], PROJECT_ROOT)).toBe(installOptionalText(PROJECT_ROOT));
  });

  it("is run in the checkout where the program runs from one", () => {
    expect(installOptionalText(PROJECT_ROOT)).toBe(
      `run "npm install --include=optional" in ${PROJECT_ROOT}`,
    );
  });
});
