import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describeThrown } from "./describe-thrown.js";
import { RunError } from "./errors.js";

/**
 * The packages that a bot alone does without, with their exports: `optionalDependencies` of
 * package.json, which `npm install --omit=optional` leaves out, and the optional
 * `peerDependencies`, which only their users install. So no module imports one statically.
 */
interface OptionalModules {
  "@duckdb/node-api": typeof import("@duckdb/node-api");
  "@nomicfoundation/edr": typeof import("@nomicfoundation/edr");
  bullmq: typeof import("bullmq");
  ccxt: typeof import("ccxt");
  ioredis: Pick<typeof import("ioredis"), "Redis">;
  lmdb: typeof import("lmdb");
  nodemailer: Pick<typeof import("nodemailer"), "createTransport">;
}

/** The name of a package that may not be installed. */
export type OptionalPart = keyof OptionalModules;

/** The exports of a package that may not be installed. */
export type OptionalModule<Name extends OptionalPart> = OptionalModules[Name];

/** The beginning of a sentence about each package, and how it is loaded. */
const PARTS: {
  readonly [Name in OptionalPart]: {
    readonly needs: string;
    /** Version to install, of an optional peer dependency. */
    readonly version?: string;
    readonly load: () => Promise<OptionalModules[Name]>;
  };
} = {
  "@duckdb/node-api": {
    needs: "recorded history needs",
    load: () => import("@duckdb/node-api"),
  },
  "@nomicfoundation/edr": {
    needs: "a chain in this process needs",
    load: () => import("@nomicfoundation/edr"),
  },
  bullmq: { needs: "a queue of sweeps needs", load: () => import("bullmq") },
  ccxt: {
    needs: "a source of reference prices or a hedge venue with ccxt needs",
    version: "4.5.84",
    load: () => import("ccxt"),
  },
  ioredis: { needs: "a queue of sweeps needs", load: () => import("ioredis") },
  lmdb: { needs: "the dataDir of an exchange needs", load: () => import("lmdb") },
  nodemailer: {
    needs: "a channel of e-mail needs",
    version: "10.6.1",
    load: () => import("nodemailer"),
  },
};

/** Every package that may not be installed. */
export const OPTIONAL_PARTS = Object.keys(PARTS) as readonly OptionalPart[];

/**
 * Loads a package that may not be installed.
 * @throws RunError with the command that installs it
 */
export async function loadOptional<Name extends OptionalPart>(
  name: Name,
): Promise<OptionalModule<Name>> {
  try {
    return await PARTS[name].load();
  } catch (cause) {
    // A limit of the operating system, such as too many open files, has an advice of its own.
    if (cause instanceof Error && "syscall" in cause) throw cause;
    throw isNotFound(cause) ? missingParts([name], cause) : unusablePart(name, cause);
  }
}

/**
 * Checks that packages are installed, without the time and memory that loading them takes.
 * @throws RunError that names all missing ones, with the command that installs them
 */
export function requireInstalled(names: readonly OptionalPart[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw missingParts(missing);
}

/** The command that installs every optional package, and the folder in which to run it. */
export function installOptionalText(root = PACKAGE_ROOT): string {
  const folder = packageFolder(root);
  // A folder of global packages has no manifest, and npm needs to be told what to install.
  return existsSync(join(folder, "package.json"))
    ? `run "npm install --include=optional" in ${folder}`
    : 'run "npm install --global --include=optional marketwright"';
}

/** The folder of this package's package.json, with a separator at its end. */
const PACKAGE_ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The command that installs some of the packages, and the folder in which to run it. */
export function installPartsText(names: readonly OptionalPart[], root = PACKAGE_ROOT): string {
  const peers = names.flatMap((name) => {
    const { version } = PARTS[name];
    return version === undefined ? [] : [`${name}@${version}`];
  });
  return peers.length === names.length ? installPeersText(peers, root) : installOptionalText(root);
}

function installPeersText(packages: readonly string[], root: string): string {
  const folder = packageFolder(root);
  const list = packages.join(" ");
  return existsSync(join(folder, "package.json"))
    ? `run "npm install ${list}" in ${folder}`
    : `run "npm install --global ${list}"`;
}

/** The folder whose node_modules holds this package. */
function packageFolder(root: string): string {
  const at = root.indexOf(`${sep}node_modules${sep}`);
  return at < 0 ? root : root.slice(0, at);
}

function isInstalled(name: OptionalPart): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Also true when the package is there without the native part of this platform. */
function isNotFound(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND")
  );
}

function missingParts(names: readonly OptionalPart[], cause?: unknown): RunError {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const { needs } = PARTS[name];
    groups.set(needs, [...(groups.get(needs) ?? []), name]);
  }
  const needs = [...groups].map(
    ([text, packages]) =>
      `${text} the package${packages.length === 1 ? "" : "s"} ${packages.join(" and ")}`,
  );
  const are = names.length === 1 ? "is" : "are";
  return new RunError(
    `${needs.join(", and ")}, which ${are} not installed: ${installPartsText(names)}`,
    { cause },
  );
}

function unusablePart(name: OptionalPart, cause: unknown): RunError {
  return new RunError(
    `${PARTS[name].needs} the package ${name}, which cannot be loaded here (${describeThrown(cause)}): ${installPartsText([name])}`,
    { cause },
  );
}
