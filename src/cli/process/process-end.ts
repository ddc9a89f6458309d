import { closeSync } from "node:fs";
import type { Clock } from "../../core/runtime/seam.js";
import { EXIT, type ExitCode, exitCodeForSignal } from "./exit-code.js";
import { NpmLaunch } from "./npm-launch.js";

/** What a process is asked to end by: its terminal that is gone, Ctrl-C, a supervisor. */
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const;
/** What a process ends by that another of ours has started. */
const ALONE = "the process that started this one is gone";
/** Descriptors of stdin, stdout and stderr. */
const STDIO = [0, 1, 2] as const;
/** A terminal's Ctrl-C may come twice: from the terminal itself, and from npm, which passes it on. */
const SAME_SIGNAL_MS = 1000;
/** Time between two checks whether npm, where it started this process, still runs. */
const LAUNCH_CHECK_MS = 250;
/** What a system says that lets a process, or itself, open no more files. */
/** The modules of a command are opened beside each other. */
const MIN_OPEN_FILES = 256;
const TOO_MANY_FILES: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

/**
 * How this process ends. It is made before the command's modules are loaded, so that no signal comes before it, and brings no module along but codes:
 * whatever ends the process, stderr has a line of it, and the exit code says so.
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
      // Listening alone must not keep a process alive that has nothing else to do.
      process.channel?.unref();
    }
    process.on("uncaughtExceptionMonitor", (error) => {
      // Where somebody hears of it, it does not end the process.
      if (process.listenerCount("uncaughtException") === 0) this.#uncaught = { error };
    });
    process.once("exit", (code) => {
      if (this.#isOver) return;
      printError(
        this.#uncaught === undefined ? endedFromWithin(code) : endedBy(this.#uncaught.error),
      );
      process.exitCode = EXIT.failure;
    });
    // Who read what is printed here may be gone, with a pipe or a terminal: a bot and a guard go on without a reader.
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") this.#unwritten ??= error;
    });
    process.stderr.on("error", () => {});
  }

  /**
   * Resolves with the first signal, or when the process that started this one is gone. Until somebody waits for it a signal ends the process at once. Another
   * one, later than the same one can arrive by two ways, ends it too, with the exit code of a failure.
   */
  signal(monotonicMs: () => number): Promise<string> {
    this.#signal ??= new Promise((resolve) => {
      let firstAtMs: number | undefined;
      this.#take = (by) => {
        if (firstAtMs === undefined) {
          firstAtMs = monotonicMs();
          resolve(by);
        } else if (by !== ALONE && monotonicMs() - firstAtMs > SAME_SIGNAL_MS) {
          printError(`ended by a second signal (${by}): what was under way is given up`);
          this.#printExitNote();
          this.now(EXIT.failure);
        }
      };
    });
    return this.#signal;
  }

  /** Ends this process in order when the npm or npx that started it ends: it passes no SIGTERM on to what runs below its shell. */
  watchLaunch(clock: Clock): void {
    const launch = this.#launch;
    if (launch === undefined) return;
    const check = (): void => {
      if (launch.hasExited()) this.#onSignal(ALONE);
      else clock.setTimer(LAUNCH_CHECK_MS, check);
    };
    check();
  }

  /** What a second signal leaves behind, and what to do about it: its line is written as the process ends. Undefined where nothing is left. */
  setExitNote(left: (() => string) | undefined): void {
    this.#exitNote = left;
  }

  /**
   * From here on a signal ends the process as it ends any other, at once and without a line: for work that leaves nothing behind, and may run for minutes, or for
   * ever in a strategy that never returns, without coming back to hear of one.
   */
  endOnSignal(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  /** Takes {@link endOnSignal} back. */
  handleSignals(): void {
    this.endOnSignal();
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  /** Ends it once all is printed. What is under way still, a checksum, a wait for tokens, a strategy's own timer, is for nobody. */
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

  /** Ends it here. */
  now(code: ExitCode): never {
    this.#isOver = true;
    // Node puts a terminal back as it was, and aborts where that is gone.
    if (this.#isHungUp) for (const stream of STDIO) letGo(stream);
    process.exit(code);
  }

  #printExitNote(): void {
    try {
      if (this.#exitNote !== undefined) printError(this.#exitNote());
    } catch (error) {
      printError(
        `what is left cannot be told (${error instanceof Error ? error.message : String(error)})`,
      );
    }
  }

  readonly #onSignal = (by: string): void => {
    this.#isHungUp ||= by === "SIGHUP";
    if (this.#take !== undefined) return this.#take(by);
    printError(`interrupted (${by}): nothing was begun`);
    this.now(exitCodeForSignal(by));
  };
}

function endedFromWithin(code: number): string {
  return `the process was ended with ${code} before its command was done; expected nothing in it to call process.exit: does a strategy, or a package of one?`;
}

/** Node has more of it below. */
function endedBy(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return (
    fileLimitAdvice(error) ??
    `the process was ended by an error that nobody foresaw (${said}) before its command was done`
  );
}

/** The advice about a limit of open files that is too low; undefined for any other error. */
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
    // It was closed already.
  }
}

function printError(what: string): void {
  process.stderr.write(`marketwright: ${what}\n`);
}
