// Builds the site into site/dist: npm run site. Installs VitePress and TypeDoc into site first,
// where the installed packages are older than the lock file.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { PAGES, SITE_ROOT } from "./folders.mjs";
import { writeProjectPages } from "./project-pages.mjs";

if (!isInstalled()) run("npm", "ci", "--no-audit", "--no-fund");
rmSync(PAGES, { recursive: true, force: true });
run("npx", "--no-install", "typedoc");
writeProjectPages();
run("npx", "--no-install", "vitepress", "build");

/** npm writes its own copy of the lock file last. */
function isInstalled() {
  const installed = join(SITE_ROOT, "node_modules/.package-lock.json");
  if (!existsSync(installed)) return false;
  return statSync(installed).mtimeMs >= statSync(join(SITE_ROOT, "package-lock.json")).mtimeMs;
}

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, { cwd: SITE_ROOT, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
