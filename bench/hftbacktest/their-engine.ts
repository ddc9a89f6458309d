import { fileURLToPath } from "node:url";
import type { Tape } from "#history/tape.js";
import { EngineProcess } from "./engine-process.js";
import { writeEvents } from "./events-file.js";
import type { Script, ScriptFill } from "./scripted-quotes.js";

/**
 * Its two books: hashed levels, and dense arrays around the market's price. The second is faster.
 */
export type TheirBook = "hashmap" | "roivector";

interface Filled {
  /** The count of its own account. */
  readonly trades: number;
  /** Order, +1 or -1, ticks, exchange nanoseconds. */
  readonly fills: readonly (readonly [number, number, number, number])[];
}

/** hftbacktest with one tape and the scripted quotes, compiled and warmed up. */
export class TheirEngine {
  readonly #engine: EngineProcess;

  private constructor(engine: EngineProcess) {
    this.#engine = engine;
  }

  /**
   * Starts it on a tape, whose events are written to `path`. Only constant latencies, the same both
   * ways.
   */
  static async start(
    python: string,
    path: string,
    tape: Tape,
    script: Script,
  ): Promise<TheirEngine> {
    writeEvents(path, tape);
    const { startUs, everyUs, latency, lots } = script;
    const program = fileURLToPath(new URL("./scripted_quotes.py", import.meta.url));
    const numbers = [
      tape.tickSize,
      tape.stepSize,
      startUs * 1000,
      latency.entryUs(startUs) * 1000,
      everyUs * 1000,
      lots,
    ];
    return new TheirEngine(
      await EngineProcess.start(python, [program, path, ...numbers.map(String)]),
    );
  }

  /** The fills of one run, and the number that its own account counted. */
  async fills(book: TheirBook): Promise<{ readonly trades: number; readonly fills: ScriptFill[] }> {
    const { trades, fills } = await this.#engine.query<Filled>(`fills ${book}`);
    return {
      trades,
      fills: fills.map(([, sign, ticks, ns]) => ({
        side: sign > 0 ? "BUY" : "SELL",
        ticks,
        exchangeUs: Math.round(ns / 1000),
      })),
    };
  }

  /**
   * Processor seconds per run, measured over at least `leastSeconds` of them. Building the engine
   * is not included.
   */
  async secondsARun(book: TheirBook, leastSeconds: number): Promise<number> {
    return this.#engine.secondsARun(`time ${book} ${leastSeconds}`);
  }

  close(): void {
    this.#engine.close();
  }
}
