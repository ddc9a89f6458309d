import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { packageFile } from "../../core/package-files.js";

/**
 * The npm command that installs the packages of a new repository together with this very package:
 * from the registry if this one came from there, else from the same archive or folder.
 */
export function installCommand(): string {
  const source = packageSource();
  return source === undefined ? "npm install" : `npm install --save-dev ${source}`;
}

/** The archive or folder that this package was installed from; undefined for a registry. */
function packageSource(): string | undefined {
  const folder = packageFile(".").replace(/[\\/]+$/, "");
  const modules = dirname(folder);
  const lock = join(modules, ".package-lock.json");
  if (!existsSync(lock)) return folder;
  const { packages = {} } = JSON.parse(readFileSync(lock, "utf8")) as {
    readonly packages?: Readonly<Record<string, { readonly resolved?: string }>>;
  };
  const { resolved } = packages["node_modules/marketwright"] ?? {};
  if (resolved === undefined) return folder;
  if (!resolved.startsWith("file:")) return undefined;
  const archive = resolve(dirname(modules), resolved.slice("file:".length));
  return existsSync(archive) ? archive : folder;
}
