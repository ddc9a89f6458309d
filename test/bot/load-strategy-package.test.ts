import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { of, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { loadStrategy } from "#bot/load-strategy.js";
import { ConfigError } from "#core/errors.js";
import { packageVersion } from "#core/package-version.js";
import type { Intent } from "#strategies/intent.js";
import type { Strategy } from "#strategies/strategy.js";
import { testContext, testView } from "../strategies/fixtures.js";
import { FIELD, PLACE, StrategyFolder, WHOLE } from "./strategy-folder.js";

const at = new StrategyFolder();

/** Writes a package into a folder's `node_modules`. */
function install(
  manifest: Readonly<Record<string, unknown>> & { readonly name: string },
  files: Readonly<Record<string, string>>,
  below = ".",
): string {
  const folder = join(at.folder, below, "node_modules", manifest.name);
  const texts = { ...files, "package.json": JSON.stringify({ version: "1.2.3", ...manifest }) };
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const ESM = { type: "module", exports: { ".": { import: "./dist/index.js" } } };

function ticksOf(strategy: Strategy): number[] {
  let intents: Intent[] = [];
  of(testView())
    .pipe(strategy.bind({ halfSpreadBps: 4, sizeBase: 0.5 }, PLACE)(testContext()), toArray())
    .subscribe((all) => {
      intents = all;
    });
  return intents.flatMap((intent) =>
    intent.kind === "quotes" ? intent.quotes.map(({ ticks }) => ticks) : [],
  );
}

async function failure(name: string, folder = at.folder): Promise<ConfigError> {
  const error = await loadStrategy(name, folder, FIELD).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError))
    throw new Error(`expected a ConfigError, got ${String(error)}`);
  return error;
}

describe("a strategy from a package", () => {
  it("quotes by its import entry, and is named with its version, so that a journal tells it from another", async () => {
    install({ name: "maker", ...ESM }, { "dist/index.js": WHOLE });
    const loaded = await loadStrategy("npm:maker", at.folder, FIELD);
    expect(ticksOf(loaded.strategy)).toEqual([9996, 10_004]);
    expect(loaded).toMatchObject({
      name: "npm:maker",
      version: "1.2.3",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      warnings: [],
    });
  });

  it("may be in a scope, behind a subpath, or one of several exports", async () => {
    const named = WHOLE.replace("export default", "export const wide =");
    install(
      { name: "@desk/makers", type: "module", exports: { "./grid": "./grid.mjs" } },
      { "grid.mjs": named },
    );
    const { strategy, name } = await loadStrategy("npm:@desk/makers/grid#wide", at.folder, FIELD);
    expect(ticksOf(strategy)).toEqual([9996, 10_004]);
    expect(name).toBe("npm:@desk/makers/grid#wide");
  });

  it("is found in the nearest folder upwards from the YAML, and through a link of npm", async () => {
    install({ name: "maker", version: "1.0.0", ...ESM }, { "dist/index.js": WHOLE });
    install({ name: "maker", version: "2.0.0", ...ESM }, { "dist/index.js": WHOLE }, "bots");
    const under = join(at.folder, "bots", "btc");
    mkdirSync(under, { recursive: true });
    expect((await loadStrategy("npm:maker", under, FIELD)).version).toBe("2.0.0");
    const linked = install({ name: "linked", ...ESM }, { "dist/index.js": WHOLE }, "elsewhere");
    symlinkSync(linked, join(at.folder, "node_modules", "linked"));
    expect(ticksOf((await loadStrategy("npm:linked", under, FIELD)).strategy)).toHaveLength(2);
  });

  it("may be the package that the YAML is part of", async () => {
    at.write("package.json", JSON.stringify({ name: "maker", version: "3.0.0", ...ESM }));
    at.write("dist/index.js", WHOLE);
    const loaded = await loadStrategy("npm:maker", at.folder, FIELD);
    expect([loaded.version, ticksOf(loaded.strategy).length]).toEqual(["3.0.0", 2]);
  });

  it("gets this copy of marketwright, not one of its own, whose errors would not be known", async () => {
    const folder = install(
      { name: "maker", ...ESM, dependencies: { marketwright: `^${packageVersion()}` } },
      { "dist/index.js": WHOLE },
    );
    const own = join(folder, "node_modules", "marketwright");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "package.json"), '{ "name": "marketwright", "exports": "./x.js" }');
    writeFileSync(join(own, "x.js"), 'throw new Error("the other copy");');
    const { strategy } = await loadStrategy("npm:maker", at.folder, FIELD);
    expect(ticksOf(strategy)).toEqual([9996, 10_004]);
  });

  it("has another checksum when any of its own files changes, and not when a dependency does", async () => {
    const files = {
      "dist/index.js": WHOLE.replace("view.microPrice", "view.microPrice + SHIFT").replace(
        "import",
        'import { SHIFT } from "./shift.js";\nimport',
      ),
      "dist/shift.js": "export const SHIFT = 0;",
    };
    const folder = install({ name: "maker", ...ESM }, files);
    const first = await loadStrategy("npm:maker", at.folder, FIELD);
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "maker", version: "1.2.4", ...ESM }),
    );
    const newer = await loadStrategy("npm:maker", at.folder, FIELD);
    expect([newer.version, newer.sha256]).toEqual(["1.2.4", first.sha256]);
    writeFileSync(join(folder, "dist/shift.js"), "export const SHIFT = 1;");
    expect((await loadStrategy("npm:maker", at.folder, FIELD)).sha256).not.toBe(first.sha256);
  });

  it("is warned of where it reads the machine's clock, as a file is", async () => {
    install(
      { name: "maker", ...ESM },
      { "dist/index.js": WHOLE.replace("view.microPrice,", "view.microPrice + 0 * Date.now(),") },
    );
    const { warnings } = await loadStrategy("npm:maker", at.folder, FIELD);
    expect(warnings).toMatchObject([{ name: "Date" }]);
  });
});

describe("the error of a package that cannot be used", () => {
  it("says what to install, and where, if it is not there: nothing is downloaded", async () => {
    at.write("package.json", "{}");
    const under = join(at.folder, "bots");
    mkdirSync(under);
    expect((await failure("npm:@desk/gone/grid", under)).message).toBe(
      `markets.ethusdc.strategy: the package @desk/gone is not installed (got "npm:@desk/gone/grid"); expected npm install @desk/gone in ${at.folder}`,
    );
  });

  it.each(["npm:", "npm:../maker", "npm:Maker", "npm:maker#a-b", "npm:@desk"])(
    "refuses %s, which names no package",
    async (name) => {
      expect((await failure(name)).message).toContain("does not name a package");
    },
  );

  it("names an entry that the package does not have", async () => {
    const folder = install({ name: "maker", ...ESM }, { "dist/index.js": WHOLE });
    const { message } = await failure("npm:maker/grid");
    expect(message).toContain('the package maker 1.2.3 has no entry "./grid"');
    expect(message).toContain(join(folder, "package.json"));
  });

  it("names the export that is missing or is not a strategy", async () => {
    install({ name: "maker", ...ESM }, { "dist/index.js": "export const maker = 1;" });
    expect((await failure("npm:maker")).message).toContain("has no default export");
    expect((await failure("npm:maker#grid")).message).toContain('has no export "grid"');
    expect((await failure("npm:maker#maker")).message).toContain("is not a strategy");
  });

  it("says that a package in CommonJS has to become an ES module", async () => {
    install(
      { name: "old", main: "index.js" },
      { "index.js": 'module.exports = require("marketwright").defineStrategy({});' },
    );
    const { message, expected } = await failure("npm:old");
    expect(message).toContain("is in CommonJS");
    expect(expected).toContain('"type": "module"');
  });

  it("names both versions if the package is for another marketwright, whose views may differ", async () => {
    const peerDependencies = { marketwright: "^99.0.0" };
    install({ name: "maker", ...ESM, peerDependencies }, { "dist/index.js": WHOLE });
    expect((await failure("npm:maker")).message).toBe(
      `markets.ethusdc.strategy: the package maker 1.2.3 is for marketwright ^99.0.0 (got "npm:maker"); expected a version of maker for marketwright ${packageVersion()}, which runs here`,
    );
  });
});
