import { ConfigError } from "../../../core/errors.js";
import type { DataFile } from "../../report/run-meta.js";

type Day = Pick<DataFile, "file" | "sha256">;

/**
 * Refuses a history that changed during a sweep, since one table would then mix windows of two
 * histories.
 * @param begun the days of the whole history as the sweep began.
 * @throws ConfigError naming a day that was written since
 */
export function requireUnchanged(opened: readonly Day[], begun: readonly Day[]): void {
  const sums = new Map(begun.map(({ file, sha256 }) => [file, sha256]));
  const other = opened.find(({ file, sha256 }) => sums.get(file) !== sha256);
  if (other === undefined) return;
  throw new ConfigError("has changed since the sweep began", {
    field: other.file,
    value: other.sha256,
    expected: `${sums.get(other.file) ?? "no such day"}: a history that does not change during the sweep (--replace starts again)`,
  });
}
