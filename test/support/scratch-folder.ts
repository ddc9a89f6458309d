import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "mw-tests-";

/**
 * Gives the whole run a temporary folder of its own, and takes it away at the end with whatever its
 * tests and their processes have left there.
 */
export default function setup(): (() => void) | undefined {
  // Each of the runner's projects asks for it.
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const { TMPDIR: before } = process.env;
  const scratch = mkdtempSync(join(tmpdir(), PREFIX));
  process.env.TMPDIR = scratch;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A process that a test has left behind may still write there; this does not fail the run.
    try {
      rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
    } catch {}
  };
}
