import { fileURLToPath } from "node:url";
import { EngineProcess } from "./engine-process.js";
import type { ScriptFill } from "./scripted-quotes.js";

/**
 * Our engine with the benchmark's tape and the scripted quotes, in a separate process like theirs.
 * It loads only the code of a replay.
 */
export class OurEngine {
  readonly #engine: EngineProcess;

  private constructor(engine: EngineProcess) {
    this.#engine = engine;
  }

  /**
   * Starts it with the loaders of this process, so that both load the program from the same place.
   */
  static async start(): Promise<OurEngine> {
    const program = fileURLToPath(new URL("./our-process.ts", import.meta.url));
    return new OurEngine(
      await EngineProcess.start(process.execPath, [...process.execArgv, program]),
    );
  }

  /** The fills of one run. */
  async fills(): Promise<ScriptFill[]> {
    return this.#engine.query<ScriptFill[]>("fills");
  }

  /**
   * Processor seconds per run, measured over at least `leastSeconds` of them. They include garbage
   * collection, compilation and setting up the engine.
   */
  async secondsARun(leastSeconds: number): Promise<number> {
    return this.#engine.secondsARun(`time ${leastSeconds}`);
  }

  close(): void {
    this.#engine.close();
  }
}
