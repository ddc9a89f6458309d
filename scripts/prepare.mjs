// Builds dist when, and only when, it is not the build of these sources. Run by npm as `prepare`,
// so also by `npm ci` and `npm link`: a current build must not be touched, because a bot may be
// running from it.
//
// --required   fail if a build is needed and the compiler is not installed (npm ci --omit=dev omits
//              it)
// --check      build nothing; fail if a build is needed
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DIST = join(ROOT, "dist");
const STAMP = ".stamp";
const ABANDONED_AFTER_MS = 3_600_000;
const SWAP_ATTEMPTS = 5;

process.exitCode = await prepare(
  process.argv.includes("--required"),
  process.argv.includes("--check"),
);

async function prepare(required, checksOnly) {
  if (!existsSync(join(ROOT, "src"))) {
    // A packed and installed copy has its build and no sources.
    return 0;
  }
  // Loaded here: a packed copy has this script alone.
  const { buildPages, PAGE_SOURCES } = await import("./browser-pages.mjs");
  const wanted = sourceStamp(PAGE_SOURCES);
  if (stampOf(DIST) === wanted) {
    return 0;
  }
  if (checksOnly) {
    return 1;
  }
  const compiler = compilerPath();
  if (compiler === undefined) {
    process.stderr.write(
      'marketwright: dist is not built: TypeScript is not installed; run "npm ci --include=dev"\n',
    );
    return required ? 1 : 0;
  }
  clearAbandoned();
  const fresh = `${DIST}.new-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh);
  const { status, signal } = spawnSync(
    process.execPath,
    [compiler, "-p", join(ROOT, "tsconfig.json"), "--outDir", fresh],
    {
      cwd: ROOT,
      stdio: ["ignore", 2, 2],
    },
  );
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    process.stderr.write(
      `marketwright: the build failed (${signal ?? `exit ${status}`}); dist is left as it was\n`,
    );
    return 1;
  }
  try {
    await buildPages(ROOT, fresh);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    process.stderr.write(
      `marketwright: a page was not built (${error.message}); dist is left as it was\n`,
    );
    return 1;
  }
  writeFileSync(join(fresh, STAMP), wanted);
  swap(fresh, wanted);
  return 0;
}

/** A digest of every input of a build, by content: a checkout sets new times on old files. */
function sourceStamp(pageSources) {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const { version, dependencies, optionalDependencies, devDependencies } = manifest;
  const installed = { ...dependencies, ...optionalDependencies, ...devDependencies };
  const digest = createHash("sha256").update(
    JSON.stringify([version, installed.typescript, installed.esbuild, installed.uplot]),
  );
  const sources = ["src", ...pageSources].flatMap((folder) => filesIn(join(ROOT, folder)));
  for (const file of [join(ROOT, "tsconfig.json"), ...sources]) {
    const content = readFileSync(file);
    digest.update(`\n${relative(ROOT, file)} ${content.length}\n`).update(content);
  }
  return digest.digest("hex");
}

function filesIn(folder) {
  if (!existsSync(folder)) {
    return [];
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function stampOf(directory) {
  try {
    return readFileSync(join(directory, STAMP), "utf8");
  } catch {
    // No build, or one that this script did not finish: neither is current.
    return undefined;
  }
}

function compilerPath() {
  const require = createRequire(join(ROOT, "package.json"));
  try {
    const manifest = require.resolve("typescript/package.json");
    return join(manifest, "..", require(manifest).bin.tsc);
  } catch {
    // Not installed: the caller reports it.
    return undefined;
  }
}

/**
 * Puts the finished build in place by renames, so that a partial build is never visible. If another
 * process built the same meanwhile, its build stays.
 */
function swap(fresh, wanted) {
  const old = `${DIST}.old-${process.pid}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (existsSync(DIST)) {
        renameSync(DIST, old);
      }
      renameSync(fresh, DIST);
      break;
    } catch (error) {
      if (stampOf(DIST) === wanted) {
        rmSync(fresh, { recursive: true, force: true });
        break;
      }
      if (attempt === SWAP_ATTEMPTS) {
        throw error;
      }
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Deletes the remains of a killed build. */
function clearAbandoned() {
  for (const name of readdirSync(ROOT)) {
    if (
      /^dist\.(?:new|old)-\d+$/.test(name) &&
      Date.now() - statSync(join(ROOT, name)).mtimeMs > ABANDONED_AFTER_MS
    ) {
      rmSync(join(ROOT, name), { recursive: true, force: true });
    }
  }
}
