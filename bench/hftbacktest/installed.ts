import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BenchUnavailable } from "../bench.js";
import { effort } from "../effort.js";

/** The release whose runs are compared with ours. */
const HFTBACKTEST = "hftbacktest==2.4.4";
/** Installing it takes minutes, and compiling it half a minute: too long for a trial run. */
const IN_EARNEST = effort(1, 0) === 1;
const INSTALL_MS = 900_000;

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/hftbacktest/", import.meta.url));
/** The Python with hftbacktest, once a run of the benchmark has installed it. */
export const CACHED_PYTHON = join(FOLDER, "bin", "python");

/**
 * The Python of a virtual environment with hftbacktest, created in node_modules/.cache at the first
 * run.
 * @throws BenchUnavailable if there is no suitable Python or hftbacktest cannot be installed
 */
export function pythonWithHftbacktest(): string {
  if (!IN_EARNEST) throw new BenchUnavailable("a trial run does without hftbacktest");
  const python = CACHED_PYTHON;
  if (isInstalled(python)) return python;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  process.stderr.write(
    `bench: installing ${HFTBACKTEST} into ${FOLDER}, once; that takes minutes\n`,
  );
  const system = process.env.MARKETWRIGHT_PYTHON ?? "python3";
  must(system, "-m", "venv", FOLDER);
  must(
    python,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--only-binary",
    ":all:",
    HFTBACKTEST,
  );
  if (!isInstalled(python))
    throw new BenchUnavailable(`${HFTBACKTEST} was installed but cannot be imported`);
  return python;
}

function isInstalled(python: string): boolean {
  const version = HFTBACKTEST.split("==")[1] as string;
  const asked = ["-c", "import importlib.metadata as m; print(m.version('hftbacktest'))"];
  return (
    existsSync(python) && spawnSync(python, asked, { encoding: "utf8" }).stdout?.trim() === version
  );
}

function must(command: string, ...args: string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    encoding: "utf8",
    timeout: INSTALL_MS,
  });
  if (status === 0) return;
  const said = error?.message ?? `${stderr}\n${stdout}`.trim().split("\n").at(-1);
  throw new BenchUnavailable(
    `${HFTBACKTEST} cannot be installed here: ${command} ${args[1] ?? ""} ${args[2] ?? ""}: ${said}`,
  );
}
