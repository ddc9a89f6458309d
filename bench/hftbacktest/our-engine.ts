import { fileURLToPath } from "node:url";
import { EngineProcess } from "./engine-process.js";
import type { ScriptFill } from "./scripted-quotes.js";

/** Our engine with the benchmark's tape and the scripted quotes, in a process of its own as theirs is: it loads only what a replay needs. */
export class OurEngine {
  readonly #engine: EngineProcess;

  private constructor(engine: EngineProcess) {
    this.#engine = engine;
  }

  /** Starts it with the loaders of this process, so that both take the program from the same place. */
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

  /** The processor's seconds that a run takes, over at least so many of them: the collector's, the compiler's and setting up the engine included. */
  async secondsARun(leastSeconds: number): Promise<number> {
    return this.#engine.secondsARun(`time ${leastSeconds}`);
  }

  close(): void {
    this.#engine.close();
  }
}
