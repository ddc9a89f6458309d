import type { ReferenceUpdate } from "../../reference/reference-update.js";
import { ReferenceRecorder, type ReferenceRecorderOptions } from "./reference-recorder.js";
import type { SealedKind } from "./seal-part.js";

/** Options of the recorders of several sources. */
interface ReferenceRecordersOptions extends Omit<ReferenceRecorderOptions, "source"> {
  /** Names of the sources. */
  readonly sources: readonly string[];
}

/** Records the messages of several sources of reference prices into one store. */
export class ReferenceRecorders {
  readonly #recorders: ReadonlyMap<string, ReferenceRecorder>;

  private constructor(recorders: ReadonlyMap<string, ReferenceRecorder>) {
    this.#recorders = recorders;
  }

  /**
   * Opens the recorder of each source.
   * @throws as {@link ReferenceRecorder.open} does; none is open then
   */
  static async open({
    sources,
    ...options
  }: ReferenceRecordersOptions): Promise<ReferenceRecorders> {
    const recorders = new Map<string, ReferenceRecorder>();
    try {
      for (const source of sources)
        recorders.set(source, await ReferenceRecorder.open({ ...options, source }));
    } catch (error) {
      await new ReferenceRecorders(recorders).close().catch(() => undefined);
      throw error;
    }
    return new ReferenceRecorders(recorders);
  }

  /** Records a message now. Messages of other sources are ignored. */
  record(update: ReferenceUpdate): void {
    this.#recorders.get(update.source)?.record(update);
  }

  /**
   * Ends every recording and seals it into the store.
   * @returns what was sealed, by source
   * @throws the first error, once every recording has ended
   */
  async close(): Promise<ReadonlyMap<string, readonly SealedKind[]>> {
    const sealed = new Map<string, readonly SealedKind[]>();
    const thrown: unknown[] = [];
    for (const [source, recorder] of this.#recorders) {
      await recorder.close().then(
        (kinds) => sealed.set(source, kinds),
        (error: unknown) => thrown.push(error),
      );
    }
    if (thrown.length > 0) throw thrown[0];
    return sealed;
  }
}
