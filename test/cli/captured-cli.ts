import "./loaded-packages.js";
import type { CliContext } from "#cli/cli-context.js";
import { runCli } from "#cli/program.js";
import type { TerminalStreams } from "#cli/terminal-prompt.js";
import { createLiveRuntime } from "#core/live-runtime.js";

/** One command line's whole effect. */
export interface CapturedRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command that goes on until it is interrupted. */
export interface StartedRun {
  /** Its first line of output; rejects when it ended before. */
  readonly firstLine: Promise<string>;
  /** Its output on stderr so far. */
  said(): string;
  /** As Ctrl-C does. */
  interrupt(): void;
  readonly done: Promise<CapturedRun>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs a command line in this process, with its own streams and environment. */
export function captureCli(args: readonly string[], env: Env = {}): Promise<CapturedRun> {
  return startCli(args, env).done;
}

/** Starts a command line in this process. @param terminal absent if it has none. */
export function startCli(
  args: readonly string[],
  env: Env = {},
  terminal?: TerminalStreams,
): StartedRun {
  let out = "";
  let err = "";
  let interrupt: (signal: string) => void = () => {};
  let spoke: (line: string) => void = () => {};
  const interrupted = new Promise<string>((resolve) => {
    interrupt = resolve;
  });
  const line = new Promise<string>((resolve) => {
    spoke = resolve;
  });
  const stream = (write: (text: string) => void) => ({
    write,
    on: () => undefined,
    off: () => undefined,
  });
  const context: CliContext = {
    env,
    stdout: stream((text) => {
      out += text;
      if (out.includes("\n")) spoke(out.slice(0, out.indexOf("\n")));
    }),
    stderr: stream((text) => {
      err += text;
    }),
    ...(terminal === undefined ? {} : { terminal }),
    runtime: createLiveRuntime(),
    interrupted: () => interrupted,
    script: "",
  };
  const done = runCli(args, context).then((code) => ({ code, out, err }));
  const ended = done.then((run): string => {
    throw new Error(`it ended with ${run.code} before it spoke: ${run.err}`);
  });
  const firstLine = Promise.race([line, ended]);
  // Most runs only need their end.
  firstLine.catch(() => {});
  return { firstLine, said: () => err, interrupt: () => interrupt("SIGINT"), done };
}
