import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The project's folder: three up from here, in the sources and in the build alike. */
const PROJECT_ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * The folder of recorded data: `named` (relative to `baseFolder`, the configuration's folder) if a
 * configuration names one, else the environment's `MARKETWRIGHT_DATA` (relative to the working
 * directory), else `../shared/data` from the project's root.
 */
export function recordedDataFolder(
  named?: string,
  baseFolder = process.cwd(),
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (named !== undefined) return isAbsolute(named) ? named : resolve(baseFolder, named);
  const fromEnvironment = environment.MARKETWRIGHT_DATA;
  return fromEnvironment === undefined || fromEnvironment === ""
    ? resolve(PROJECT_ROOT, "../shared/data")
    : resolve(fromEnvironment);
}
