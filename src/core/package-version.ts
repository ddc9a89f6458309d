import { readFileSync } from "node:fs";
import { FormatError } from "./errors.js";
import { packageFile } from "./package-files.js";

/** This package's version, from its manifest. @throws FormatError for a manifest without one */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    const { version } = manifest;
    if (typeof version === "string") return version;
  }
  throw new FormatError("has no version", {
    field: "package.json",
    expected: "the manifest that the package came with",
  });
}
