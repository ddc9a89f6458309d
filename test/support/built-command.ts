import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const PREPARE = fileURLToPath(new URL("../../scripts/prepare.mjs", import.meta.url));
const COMMAND = fileURLToPath(new URL("../../bin/marketwright.js", import.meta.url));

/**
 * The command as it is installed, for tests that start it in processes of its own: the build of
 * these very sources, which is made first where it is not there. A process starts from it in a
 * third of the time that it takes to compile the sources.
 */
export function builtCommand(): string {
  const { status, stderr } = spawnSync(process.execPath, [PREPARE, "--required"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`there is no build of these sources: ${stderr}`);
  return COMMAND;
}
