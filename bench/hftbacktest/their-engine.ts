import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Tape } from "../../src/history/columns/tape.js";
import { writeEvents } from "./events-file.js";
import type { Script, ScriptFill } from "./scripted-quotes.js";

/** Its two books: hashed levels, and dense arrays round where the market was. The second is the faster one. */
export type TheirBook = "hashmap" | "roivector";

interface Ran {
  readonly runs: number;
  readonly seconds: number;
}

interface Filled {
  /** What its own account counted. */
  readonly trades: number;
  /** Order, +1 or -1, ticks, exchange nanoseconds. */
  readonly fills: readonly (readonly [number, number, number, number])[];
}

/** hftbacktest with one tape and the scripted quotes, compiled and warm, in a process of its own. */
export class TheirEngine {
  readonly #process: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #said = "";

  private constructor(process: ChildProcess, answers: AsyncIterator<string>) {
    this.#process = process;
    this.#answers = answers;
    process.stderr?.on("data", (chunk) => (this.#said = `${this.#said}${chunk}`.slice(-2000)));
  }

  /** Starts it on a tape, whose events are written to `path`. Only constant latencies, the same both ways. */
  static async start(python: string, path: string, tape: Tape, script: Script): Promise<TheirEngine> {
    writeEvents(path, tape);
    const { startUs, everyUs, latency, lots } = script;
    const program = fileURLToPath(new URL("./scripted_quotes.py", import.meta.url));
    const numbers = [tape.tickSize, tape.stepSize, startUs * 1000, latency.entryUs(startUs) * 1000, everyUs * 1000, lots];
    const child = spawn(python, [program, path, ...numbers.map(String)], { stdio: ["pipe", "pipe", "pipe"] });
    const engine = new TheirEngine(child, createInterface({ input: child.stdout })[Symbol.asyncIterator]());
    await engine.#answer();
    return engine;
  }

  /** The fills of one run, and how many its own account counted. */
  async fills(book: TheirBook): Promise<{ readonly trades: number; readonly fills: ScriptFill[] }> {
    const { trades, fills } = (await this.#ask(`fills ${book}`)) as Filled;
    return {
      trades,
      fills: fills.map(([, sign, ticks, ns]) => ({ side: sign > 0 ? "BUY" : "SELL", ticks, exchangeUs: Math.round(ns / 1000) })),
    };
  }

  /** The processor's seconds that a run takes, over at least so many of them. Building the engine is not counted. */
  async secondsARun(book: TheirBook, leastSeconds: number): Promise<number> {
    const { runs, seconds } = (await this.#ask(`time ${book} ${leastSeconds}`)) as Ran;
    return seconds / runs;
  }

  close(): void {
    this.#process.stdin?.end();
  }

  async #ask(command: string): Promise<unknown> {
    this.#process.stdin?.write(`${command}\n`);
    return this.#answer();
  }

  async #answer(): Promise<unknown> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`hftbacktest ended: ${this.#said}`);
    return JSON.parse(value);
  }
}
