import { existsSync, readFileSync } from "node:fs";
import { packageFile } from "../../core/package-files.js";
import { packageVersion } from "../../core/package-version.js";

/** File that `scripts/prepare.mjs` leaves in a build: a digest of its sources. */
const STAMP = "dist/.stamp";
const SHOWN_DIGITS = 12;

/**
 * Returns this program's version, with a digest of the built sources as build metadata (semver
 * 2.0.0, section 10): `1.2.0+3f9ac1d20b77`. Two checkouts of one version may compute different
 * figures. Without a build it is the package's version alone.
 */
export function programVersion(): string {
  const path = packageFile(STAMP);
  const version = packageVersion();
  return existsSync(path)
    ? `${version}+${readFileSync(path, "utf8").trim().slice(0, SHOWN_DIGITS)}`
    : version;
}
