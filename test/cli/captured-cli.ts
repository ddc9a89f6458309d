import type { CliContext } from "../../src/cli/cli-context.js";
import { runCli } from "../../src/cli/program.js";
import { liveSeam } from "../../src/core/live-seam.js";

/** One command line's whole effect. */
export interface CapturedRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line in this process, with streams and environment of its own. */
export async function captureCli(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<CapturedRun> {
  let out = "";
  let err = "";
  const stream = (write: (text: string) => void) => ({ write, on: () => undefined, off: () => undefined });
  const context: CliContext = {
    env,
    stdout: stream((text) => {
      out += text;
    }),
    stderr: stream((text) => {
      err += text;
    }),
    seam: liveSeam(),
    interrupted: () => new Promise(() => {}),
    script: "",
  };
  const code = await runCli(args, context);
  return { code, out, err };
}
