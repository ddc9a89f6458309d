import { spawnSync } from "node:child_process";
import { until } from "../../test/cli/until.js";

/** A command in a terminal of its own. */
export interface TmuxTerminalOptions {
  /** A shell command line; the shell should `exec` it, so that it gets the terminal's signals. */
  readonly command: string;
  readonly folder: string;
  readonly columns: number;
  readonly rows: number;
  /** Its variables. */
  readonly env?: NodeJS.ProcessEnv;
}

let opened = 0;

/** A terminal of tmux: what it shows, and a user who types. */
export class TmuxTerminal {
  readonly columns: number;
  /** A server of its own each: a running one would keep its own environment. */
  readonly #server = `marketwright-picture-${process.pid}-${opened++}`;

  constructor({ command, folder, columns, rows, env = process.env }: TmuxTerminalOptions) {
    this.columns = columns;
    // With CI set no screen would be shown.
    const { CI: _ci, NO_COLOR: _colour, TMUX: _tmux, ...own } = env;
    const size = ["-x", String(columns), "-y", String(rows)];
    const session = ["new-session", "-d", "-c", folder, ...size, command];
    const keep = [";", "set-option", "remain-on-exit", "on"];
    this.#tmux([...session, ...keep], own);
  }

  /** The lines of the screen with their escape sequences; all lines once the command has ended. */
  capture(): string {
    return this.#capture("-e");
  }

  /** The same lines without styles; wrapped ones are joined. */
  text(): string {
    return this.#capture("-J");
  }

  untilShown(part: RegExp): Promise<string> {
    return until(
      () => this.text(),
      (shown) => part.test(shown),
    );
  }

  /** Types keys as tmux names them: `C-c`, `Enter`, or a text. */
  type(...keys: readonly string[]): void {
    this.#tmux(["send-keys", ...keys]);
  }

  /** Process id of the command. */
  get pid(): number {
    return Number(this.#tmux(["display-message", "-p", "#{pane_pid}"]));
  }

  /** Resolves once the command has ended. */
  async ended(): Promise<void> {
    await until(
      () => this.#hasEnded(),
      (hasEnded) => hasEnded,
    );
  }

  close(): void {
    spawnSync("tmux", ["-L", this.#server, "kill-server"]);
  }

  #hasEnded(): boolean {
    return this.#tmux(["display-message", "-p", "#{pane_dead}"]).trim() === "1";
  }

  #capture(form: string): string {
    // tmux reports the end below the last line, which moves the first lines out of the screen.
    const history = this.#hasEnded() ? ["-S", "-"] : [];
    const shown = this.#tmux(["capture-pane", "-p", form, ...history]);
    return shown.replace(/^.*Pane is dead.*\n?/m, "");
  }

  #tmux(args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
    const { status, stdout, stderr, error } = spawnSync("tmux", ["-L", this.#server, ...args], {
      encoding: "utf8",
      env,
    });
    if (status === 0) return stdout;
    throw new Error(`tmux ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
  }
}
