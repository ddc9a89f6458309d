import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { ConfigError } from "../../core/errors.js";
import { pathKind } from "../../core/path-kind.js";

/** What a sweep puts into its folder. */
const OURS = new Set(["results.jsonl", "sweep.json", "sweep.html", "best", "lock"]);

/** @throws ConfigError when a folder holds what no sweep has put there */
export function refuseForeign(directory: string, replace: boolean): void {
  const kind = pathKind(resolve(directory));
  if (kind === undefined) return;
  const detail = { field: "--out", value: directory };
  if (kind !== "folder")
    throw new ConfigError("is no folder", { ...detail, expected: "a folder of a sweep's, or one that does not exist yet" });
  const foreign = readdirSync(resolve(directory)).find((name) => !OURS.has(name) && !name.endsWith(".next") && !name.startsWith(".best."));
  if (foreign === undefined) return;
  throw new ConfigError(`holds something that is no sweep's, ${foreign}`, {
    ...detail,
    expected: `a folder of a sweep's, or one that does not exist yet${replace ? " (--replace replaces sweeps alone)" : ""}`,
  });
}
