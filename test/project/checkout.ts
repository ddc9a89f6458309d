import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtCommand } from "../support/built-command.js";

/** The checkout that the tests run in. */
export const PROJECT_ROOT = fileURLToPath(new URL("../..", import.meta.url));

const SCAFFOLD = [
  "bin",
  "scripts",
  "package.json",
  "tsconfig.json",
  "tsconfig.rooms.json",
  "biome.json",
];

/**
 * A checkout of its own in a temporary folder, so that what is built, linked or broken there leaves
 * this one alone: the project's scaffold with sources of a line or two, or with the project's own.
 * Dependencies are borrowed by a link.
 */
export class Checkout {
  readonly folder: string;
  readonly #npmCache: string;
  readonly #npmPrefix: string;

  constructor(sources: Readonly<Record<string, string>> | "the project's own") {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-checkout-")));
    this.#npmCache = join(this.folder, "..", `${this.folder}-npm-cache`);
    this.#npmPrefix = `${this.folder}-npm-prefix`;
    mkdirSync(this.#npmPrefix);
    for (const name of SCAFFOLD) {
      cpSync(join(PROJECT_ROOT, name), join(this.folder, name), { recursive: true });
    }
    symlinkSync(join(PROJECT_ROOT, "node_modules"), join(this.folder, "node_modules"));
    if (sources === "the project's own") {
      for (const name of ["src", "assets"])
        cpSync(join(PROJECT_ROOT, name), join(this.folder, name), { recursive: true });
    } else {
      for (const [path, text] of Object.entries(sources)) {
        this.write(path, text);
      }
    }
  }

  /**
   * Takes over the project's own build, so that a checkout of its own sources need not compile them
   * again.
   */
  takeBuild(): void {
    builtCommand();
    cpSync(join(PROJECT_ROOT, "dist"), join(this.folder, "dist"), { recursive: true });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  remove(path: string): void {
    rmSync(join(this.folder, path), { recursive: true, force: true });
  }

  /**
   * Runs a program in the checkout, or in `folder`, with an npm of its own that asks no registry.
   */
  run(program: string, args: readonly string[], folder = this.folder): SpawnSyncReturns<string> {
    return spawnSync(program, args, { cwd: folder, encoding: "utf8", env: this.environment() });
  }

  prepare(...args: string[]): SpawnSyncReturns<string> {
    return this.run(process.execPath, ["scripts/prepare.mjs", ...args]);
  }

  environment(): NodeJS.ProcessEnv {
    // The variables of the npm that runs these tests would point the npm inside at the wrong
    // package.
    const inherited = Object.entries(process.env).filter(
      ([name]) => !name.toLowerCase().startsWith("npm_") && !name.startsWith("VITEST"),
    );
    return {
      ...Object.fromEntries(inherited),
      PATH: `${join(this.#npmPrefix, "bin")}:${process.env.PATH ?? ""}`,
      npm_config_cache: this.#npmCache,
      npm_config_prefix: this.#npmPrefix,
      npm_config_offline: "true",
    };
  }

  /** Every file of the build with what a running process would notice of its replacement. */
  build(): Record<string, { inode: number; modifiedMs: number }> {
    const dist = join(this.folder, "dist");
    const files: Record<string, { inode: number; modifiedMs: number }> = {};
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      const { ino, mtimeMs } = statSync(join(entry.parentPath, entry.name));
      files[join(entry.parentPath, entry.name).slice(dist.length + 1)] = {
        inode: ino,
        modifiedMs: mtimeMs,
      };
    }
    return files;
  }

  /** Files beside the sources under a name that only a build gives. */
  leftovers(): string[] {
    return readdirSync(this.folder).filter((name) => name.startsWith("dist") && name !== "dist");
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  dispose(): void {
    for (const folder of [this.folder, this.#npmCache, this.#npmPrefix]) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
