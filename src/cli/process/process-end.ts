import { closeSync } from "node:fs";
import type { Clock } from "../../core/runtime/runtime.js";
import { EXIT, type ExitCode, exitCodeForSignal } from "./exit-code.js";
import { NpmLaunch } from "./npm-launch.js";

/** Signals that stop a process: from its closed terminal, Ctrl-C, a supervisor. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
/** Reason for the end of a process whose starter, another of ours, is gone. */
const ALONE = "the process that started this one has ended";
/** Descriptors of stdin, stdout and stderr. */
const STDIO = [0, 1, 2] as const;
/**
 * A terminal's Ctrl-C may arrive twice: from the terminal itself, and from npm, which forwards it.
 */
const SAME_SIGNAL_MS = 1000;
/** Interval at which the process checks that the npm that started it still runs. */
const LAUNCH_CHECK_MS = 250;
/** The modules of a command are opened beside each other. */
const MIN_OPEN_FILES = 256;
/** Error codes for too many open files in a process, or in the system. */
const TOO_MANY_FILES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/**
 * Ends this process. It is created before the command's modules are loaded, so that no signal comes
 * before it, and imports only exit codes. However the process ends, stderr has a line about it, and
 * the exit code matches.
 */
export class ProcessEnd {
  #take: ((by: string) => void) | undefined;
  #signal: Promise<string> | undefined;
  #unwritten: Error | undefined;
  #uncaught: { readonly error: unknown } | undefined;
  #isOver = false;
  #isHungUp = false;
  readonly #launch = NpmLaunch.find(process.env);
  #exitNote: (() => string) | undefined;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    if (process.connected) {
      process.once("disconnect", () => this.#onSignal(ALONE));
      // The listener alone must not keep an idle process alive.
      process.channel?.unref();
    }
    process.on("uncaughtExceptionMonitor", (error) => {
      // If another handler exists, the error does not end the process.
      if (process.listenerCount("uncaughtException") === 0) this.#uncaught = { error };
    });
    process.once("exit", (code) => {
      if (this.#isOver) return;
      printError(
        this.#uncaught === undefined ? endedFromWithin(code) : endedBy(this.#uncaught.error),
      );
      process.exitCode = EXIT.failure;
    });
    // The reader of the output may be gone, with a pipe or a terminal: a bot and a guard continue
    // without it.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") this.#unwritten ??= error;
    });
    process.stderr.on("error", () => {});
  }

  /**
   * Resolves with the first signal, or when the process that started this one is gone. Before the
   * first call, a signal ends the process at once. A second signal also ends it, with a failure's
   * exit code, unless it is so close that it may be the same one by another route.
   */
  signal(monotonicMs: () => number): Promise<string> {
    this.#signal ??= new Promise((resolve) => {
      let firstAtMs: number | undefined;
      this.#take = (by) => {
        if (firstAtMs === undefined) {
          firstAtMs = monotonicMs();
          resolve(by);
        } else if (by !== ALONE && monotonicMs() - firstAtMs > SAME_SIGNAL_MS) {
          printError(`ended by a second signal (${by}): unfinished work is abandoned`);
          this.#printExitNote();
          this.now(EXIT.failure);
        }
      };
    });
    return this.#signal;
  }

  /**
   * Stops this process properly when the npm or npx that started it ends: that forwards no SIGTERM
   * to processes below its shell.
   */
  watchLaunch(clock: Clock): void {
    const launch = this.#launch;
    if (launch === undefined) return;
    const check = (): void => {
      if (launch.hasExited()) this.#onSignal(ALONE);
      else clock.setTimer(LAUNCH_CHECK_MS, check);
    };
    check();
  }

  /**
   * Sets the text about open orders after a second signal, and the command against them; it is
   * printed as the process ends. Undefined if nothing is left.
   */
  setExitNote(left: (() => string) | undefined): void {
    this.#exitNote = left;
  }

  /**
   * From here on a signal ends the process at once, as by default and without a line. For work that
   * leaves nothing behind and may block the event loop for minutes, or forever in a strategy that
   * never returns.
   */
  endOnSignal(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  /** Reverts {@link endOnSignal}. */
  handleSignals(): void {
    this.endOnSignal();
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /**
   * Exits once all output is printed. Work in progress, such as a checksum, a wait for tokens or a
   * strategy's own timer, is abandoned.
   */
  async with(code: ExitCode): Promise<never> {
    await new Promise<void>((resolve) => {
      process.stdout.write("", () => resolve());
    });
    if (this.#unwritten === undefined || code !== EXIT.ok) return this.now(code);
    printError(
      `stdout cannot be written: ${this.#unwritten.message}; expected a disk with room, or a reader`,
    );
    return this.now(EXIT.failure);
  }

  /** Exits here. */
  now(code: ExitCode): never {
    this.#isOver = true;
    // Node restores a terminal, and aborts if it is gone.
    if (this.#isHungUp) for (const stream of STDIO) letGo(stream);
    process.exit(code);
  }

  #printExitNote(): void {
    try {
      if (this.#exitNote !== undefined) printError(this.#exitNote());
    } catch (error) {
      printError(
        `the list of what is left cannot be shown (${error instanceof Error ? error.message : String(error)})`,
      );
    }
  }

  readonly #onSignal = (by: string): void => {
    this.#isHungUp ||= by === "SIGHUP";
    if (this.#take !== undefined) return this.#take(by);
    printError(`interrupted (${by}): nothing was started`);
    this.now(exitCodeForSignal(by));
  };
}

function endedFromWithin(code: number): string {
  return `the process was ended with ${code} before its command was done; expected no code to call process.exit: check the strategies and their packages`;
}

/** Node prints more of it below. */
function endedBy(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (
    fileLimitAdvice(error) ??
    `the process was ended by an unexpected error (${message}) before its command was done`
  );
}

/** Advice about a limit of open files that is too low; undefined for any other error. */
export function fileLimitAdvice(error: unknown): string | undefined {
  if (!(error instanceof Error && "code" in error)) return undefined;
  if (TOO_MANY_FILES.has(error.code)) return fileLimitText(error.message);
  // Node reports a module whose file it could not open as one that does not exist.
  return error.code === "ERR_MODULE_NOT_FOUND" && openFilesLimit() < MIN_OPEN_FILES
    ? fileLimitText(`EMFILE: ${error.message}`)
    : undefined;
}

/** The limit of open files that this process runs under, Infinity where it has none. */
function openFilesLimit(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit;
}

function fileLimitText(cause: string): string {
  return `the process may open no more files (${cause}); expected a limit of ${MIN_OPEN_FILES} or more: ulimit -n`;
}

function letGo(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It is already closed.
  }
}

function printError(what: string): void {
  process.stderr.write(`marketwright: ${what}\n`);
}
