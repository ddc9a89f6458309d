import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** What an engine answers to being timed. */
export interface Timed {
  readonly runs: number;
  /** Of the processor, all of the process's threads. */
  readonly seconds: number;
}

/** An engine in a process of its own: answers each line that it is asked with a line of JSON, and ends with its input. */
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

  /** Starts a program and waits until it says, by a first line, that it is ready. */
  static async start(program: string, args: readonly string[]): Promise<EngineProcess> {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
    const engine = new EngineProcess(
      child,
      createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    );
    await engine.#answer();
    return engine;
  }

  /** @throws Error with what the process said last, when it ended instead of answering */
  async query<Answer>(question: string): Promise<Answer> {
    this.#process.stdin?.write(`${question}\n`);
    return (await this.#answer()) as Answer;
  }

  /** The processor's seconds that a run takes, over at least so many of them. */
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
