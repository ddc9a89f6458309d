import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** An engine's response to a timing request. */
export interface Timed {
  readonly runs: number;
  /** Processor seconds of all threads of the process. */
  readonly seconds: number;
}

/**
 * An engine in a separate process: it responds to each line with a line of JSON, and exits when its
 * input ends.
 */
export class EngineProcess {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #errorOutput = "";

  private constructor(process: ChildProcess, answers: AsyncIterator<string>) {
    this.#process = process;
    this.#answers = answers;
    process.stderr?.on(
      "data",
      (chunk) => (this.#errorOutput = `${this.#errorOutput}${chunk}`.slice(-2000)),
    );
  }

  /** Starts a program and waits for its first line, which reports that it is ready. */
  static async start(program: string, args: readonly string[]): Promise<EngineProcess> {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const engine = new EngineProcess(
      child,
      createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    );
    await engine.#answer();
    return engine;
  }

  /** @throws Error with the last output of the process, if it exits instead of responding */
  async query<Answer>(question: string): Promise<Answer> {
    this.#process.stdin?.write(`${question}\n`);
    return (await this.#answer()) as Answer;
  }

  /** Processor seconds per run, measured over at least `leastSeconds` of them. */
  async secondsARun(question: string): Promise<number> {
    const { runs, seconds } = await this.query<Timed>(question);
    return seconds / runs;
  }

  close(): void {
    this.#process.stdin?.end();
  }

  async #answer(): Promise<unknown> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`the engine ${this.#process.spawnfile} ended: ${this.#errorOutput}`);
    return JSON.parse(value);
  }
}
