import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "./package-files.js";
import { packageVersion } from "./package-version.js";

/** What `scripts/prepare.mjs` leaves in a build: a digest of the sources that it was made of. */
const STAMP = "dist/.stamp";
const SHOWN_DIGITS = 12;

/**
 * This program's version, and as its build metadata (semver 2.0.0, section 10) which sources it was built of: `1.2.0+3f9ac1d20b77`. Two checkouts of
 * one version may compute different figures. Without a build it is the package's alone.
 */
export function programVersion(): string {
  const path = packageFile(STAMP);
  const version = packageVersion();
  return existsSync(path)
    ? `${version}+${readFileSync(path, "utf8").trim().slice(0, SHOWN_DIGITS)}`
    : version;
}
