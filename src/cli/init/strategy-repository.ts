import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { makeFolder } from "../../core/files/make-folder.js";
import { readPathKind } from "../../core/files/path-kind.js";
import { packageFile } from "../../core/package-files.js";
import { packageVersion } from "../../core/package-version.js";
import { type NewFile, writeNewFiles } from "./new-files.js";

/** Files of the template, by their names in `assets/strategy` and in the new folder. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "README.md",
  "backtest.yaml": "backtest.yaml",
  "bot.yaml": "bot.yaml",
  // npm leaves a file of this name out of a package.
  gitignore: ".gitignore",
  "make-history.js": "make-history.js",
  "src/index.test.ts": "src/index.test.ts",
  "src/index.ts": "src/index.ts",
  "tsconfig.json": "tsconfig.json",
};

/** The packages that a strategy shares with the bot that loads it. */
const SHARED = ["rxjs", "zod"];
/** The packages that its author builds it with. */
const TOOLS = ["@types/node", "typescript"];

/** A new repository with a strategy of the user's own. */
export interface StrategyRepository {
  /** Absolute path. */
  readonly folder: string;
  /** Name of its package. */
  readonly name: string;
  /** Names of the files in it. */
  readonly files: readonly string[];
}

/**
 * Writes a repository with a strategy, its tests, a bot and a backtest.
 * @param written the folder, as the user wrote it: new, or empty
 * @throws ConfigError if the folder holds something, or its name cannot be a package's
 */
export function writeStrategyRepository(written: string): StrategyRepository {
  const folder = resolve(written);
  requireEmpty(folder, written);
  const name = packageName(folder, written);
  const files: NewFile[] = Object.entries(FILES).map(([template, file]) => ({
    path: join(folder, file),
    text: readFileSync(packageFile(`assets/strategy/${template}`), "utf8")
      .replaceAll("NAME", name)
      .replaceAll("VERSION", packageVersion()),
  }));
  files.push({ path: join(folder, "package.json"), text: manifest(name) });
  makeFolder(join(folder, "src"));
  writeNewFiles(files, { force: false, check: () => undefined });
  return { folder, name, files: [...Object.values(FILES), "package.json"].sort() };
}

function requireEmpty(folder: string, written: string): void {
  const kind = readPathKind(folder);
  if (kind === undefined) return;
  const expected = "a new folder, or an empty one";
  if (kind !== "folder")
    throw new ConfigError("is not a folder", { field: "--strategy", value: written, expected });
  const [first] = readdirSync(folder);
  if (first === undefined) return;
  throw new ConfigError(`is not empty: it holds ${first}`, {
    field: "--strategy",
    value: written,
    expected,
  });
}

/** The folder's name, as the name of a package may be. @throws ConfigError if nothing is left */
function packageName(folder: string, written: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  if (name !== "") return name;
  throw new ConfigError("cannot be the name of a package", {
    field: "--strategy",
    value: written,
    expected: "a folder whose name has letters a to z or digits",
  });
}

/** The manifest of the new package, with the versions that this package itself uses. */
function manifest(name: string): string {
  const own = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly devDependencies: Readonly<Record<string, string>>;
    readonly engines: object;
  };
  const marketwright = `^${packageVersion()}`;
  const peers = SHARED.map((other) => [other, `^${own.dependencies[other]}`]);
  // The versions of this package, so that it and the strategy share one copy of each.
  const shared = SHARED.map((other) => [other, own.dependencies[other]]);
  const tools = TOOLS.map((tool) => [tool, own.devDependencies[tool]]);
  return `${JSON.stringify(
    {
      name,
      version: "0.1.0",
      description: "A strategy for Marketwright",
      keywords: ["marketwright-strategy"],
      type: "module",
      engines: own.engines,
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
      files: ["dist", "!dist/*.test.*"],
      scripts: {
        build: "tsc",
        test: "tsc && node --test dist/*.test.js",
        history: "node make-history.js",
        backtest: "marketwright backtest backtest.yaml --out report --replace",
        exchange: "marketwright exchange",
        prepublishOnly: "npm test",
      },
      peerDependencies: { marketwright, ...Object.fromEntries(peers) },
      devDependencies: { ...Object.fromEntries([...tools, ...shared]), marketwright },
    },
    null,
    2,
  )}\n`;
}
