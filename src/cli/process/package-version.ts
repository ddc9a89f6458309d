import { readFileSync } from "node:fs";
import { z } from "zod";
import { packageFile } from "./package-files.js";

const manifestSchema = z.object({ version: z.string() });

/** This package's version, from its manifest. */
export function packageVersion(): string {
  return manifestSchema.parse(JSON.parse(readFileSync(packageFile("package.json"), "utf8")))
    .version;
}
