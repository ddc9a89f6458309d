import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";
import { sourceFile } from "./room-files.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SOURCES = resolve(ROOT, "src") + sep;
const BUILD = resolve(ROOT, "dist") + sep;
const PREPARE = resolve(ROOT, "scripts/prepare.mjs");

/** The modules of the build, which the runner leaves to Node. */
export const BUILT_MODULES = new RegExp(`^${BUILD.replaceAll(/[^\w/]/g, "\\$&")}`);

/**
 * Gives a test that imports a source its build, where `dist` is the build of these very sources, as
 * `npm test` sees to: what a user runs, loaded by Node itself. The runner would compile every
 * source for each process that loads it, and reach what it imports through getters, by which
 * simulated markets take a third longer. Where there is no such build, where a watcher runs and
 * where coverage is measured, the sources themselves are tested.
 *
 * Node 20 may leave the names of a CommonJS package undefined where two commands of one process
 * load it at once: `test/cli/loaded-packages.ts` loads them before.
 */
export function builtSources(): Plugin {
  let isBuilt = false;
  return {
    name: "marketwright:built-sources",
    enforce: "pre",
    configureVitest({ vitest: { config } }) {
      isBuilt =
        !config.watch &&
        !config.coverage.enabled &&
        spawnSync(process.execPath, [PREPARE, "--check"]).status === 0;
    },
    resolveId(imported, importer) {
      if (!isBuilt || importer === undefined) return undefined;
      const source =
        sourceFile(imported) ??
        (imported.startsWith(".") ? resolve(dirname(importer), imported) : undefined);
      if (source === undefined || !source.startsWith(SOURCES)) return undefined;
      const built = BUILD + source.slice(SOURCES.length).replace(/\.ts$/, ".js");
      return existsSync(built) ? built : undefined;
    },
  };
}
