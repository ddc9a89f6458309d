import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import satisfies from "semver/functions/satisfies.js";
import validRange from "semver/ranges/valid.js";
import { z } from "zod";
import { ConfigError } from "../../core/errors.js";
import { packageVersion } from "../../core/package-version.js";
import { resolveImport } from "./strategy-bundle.js";

/** A strategy in an installed package. */
export interface StrategyPackage {
  /** Name on npm: `my-strategy`, `@desk/strategies`. */
  readonly name: string;
  readonly version: string;
  /** The package's own folder, absolute, without symbolic links. */
  readonly folder: string;
  /** The file that an import of it reads, absolute. */
  readonly entry: string;
  readonly exportName: string;
}

/** The parts of `npm:@desk/strategies/grid#wide`. */
const FORM =
  /^npm:(?<name>(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?<sub>(?:\/[^/#]+)*)(?:#(?<exportName>[\w$]+))?$/;

/** The fields of a manifest that are read. */
const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

/** A folder that has the package, and its manifest. */
interface FoundPackage {
  readonly folder: string;
  readonly manifest: z.output<typeof manifestSchema>;
}

/**
 * Finds the package that a bot's YAML names, as an import in the YAML's folder would. Nothing is
 * installed.
 * @param written `npm:NAME`, `npm:NAME/SUBPATH` or either with `#EXPORT`
 * @param folder the YAML's own folder
 * @param field path of the name in the YAML, for errors
 * @throws ConfigError if the package is not installed, has no such entry, or is for another version
 * of this one
 */
export async function findStrategyPackage(
  written: string,
  folder: string,
  field: string,
): Promise<StrategyPackage> {
  const { name = "", sub = "", exportName = "default" } = FORM.exec(written)?.groups ?? {};
  if (name === "")
    throw new ConfigError("does not name a package", {
      field,
      value: written,
      expected: "npm:NAME, npm:@SCOPE/NAME, with /SUBPATH or #EXPORT if it has several strategies",
    });
  const found = findInstalled(name, folder, { field, written });
  const entry = await resolveImport(`${name}${sub}`, folder);
  if (entry.path === undefined)
    throw new ConfigError(
      `the package ${name} ${found.manifest.version} has no entry "${sub === "" ? "." : `.${sub}`}"${entry.why === "" ? "" : `: ${entry.why}`}`,
      {
        field,
        value: written,
        expected: `an entry that ${join(found.folder, "package.json")} names in "exports"`,
      },
    );
  requireVersion(found, { field, written });
  return {
    name,
    version: found.manifest.version,
    folder: found.folder,
    entry: entry.path,
    exportName,
  };
}

interface Written {
  readonly field: string;
  readonly written: string;
}

/** The nearest folder of the package, as Node finds it: its own, or in `node_modules` upwards. */
function findInstalled(name: string, folder: string, { field, written }: Written): FoundPackage {
  let home: string | undefined;
  for (let at = folder; ; at = dirname(at)) {
    const own = join(at, "package.json");
    if (home === undefined && existsSync(own)) {
      home = at;
      const manifest = readManifest(own, { field, written });
      // A package may import itself by its name.
      if (manifest?.name === name) return { folder: realpathSync(at), manifest };
    }
    const installed = join(at, "node_modules", ...name.split("/"));
    const manifest = readManifest(join(installed, "package.json"), { field, written });
    if (manifest !== undefined) return { folder: realpathSync(installed), manifest };
    if (dirname(at) === at) break;
  }
  throw new ConfigError(`the package ${name} is not installed`, {
    field,
    value: written,
    expected: `npm install ${name} in ${home ?? folder}`,
  });
}

/** Undefined if there is no such file, or one without a name and a version. */
function readManifest(
  path: string,
  { field, written }: Written,
): FoundPackage["manifest"] | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const read = manifestSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return read.success ? read.data : undefined;
  } catch (cause) {
    throw new ConfigError(`the manifest ${path} cannot be read`, {
      field,
      value: written,
      expected: "a package.json that is valid JSON",
      cause,
    });
  }
}

/** @throws ConfigError if the package asks for another version of this one */
function requireVersion({ manifest }: FoundPackage, { field, written }: Written): void {
  const { name, version, peerDependencies, dependencies } = manifest;
  const range = peerDependencies?.marketwright ?? dependencies?.marketwright;
  // A folder or an archive says nothing about the version.
  if (range === undefined || validRange(range) === null) return;
  const own = packageVersion();
  if (satisfies(own, range, { includePrerelease: true })) return;
  throw new ConfigError(`the package ${name} ${version} is for marketwright ${range}`, {
    field,
    value: written,
    expected: `a version of ${name} for marketwright ${own}, which runs here`,
  });
}
