import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives the whole run a temporary folder of its own, and takes it away at the end with whatever its tests and their processes have left there. */
export default function setup(): () => void {
  const { TMPDIR: before } = process.env;
  const scratch = mkdtempSync(join(tmpdir(), "mw-tests-"));
  process.env.TMPDIR = scratch;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A process that a test has left behind may still write there, which is no failure of the run.
    try {
      rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
    } catch {}
  };
}
