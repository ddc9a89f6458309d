import { rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { HistoryError } from "../../history-errors.js";
import type { HistoryStore } from "../../store/history-store.js";
import { type DayInput, type DayTape, type DayTapeOptions, openDayTape } from "../day-tape.js";
import { blockBytes } from "./block-layout.js";
import { type BlockNote, readTapeBlock } from "./tape-file.js";

/**
 * Reads the blocks of one day's tape file. If a block's checksum does not match, the day is
 * rebuilt.
 */
export class BlockReader {
  readonly #store: HistoryStore;
  readonly #input: DayInput;
  readonly #options: DayTapeOptions;
  #tape: DayTape;
  #file: FileHandle | undefined;

  constructor(store: HistoryStore, input: DayInput, tape: DayTape, options: DayTapeOptions) {
    this.#store = store;
    this.#input = input;
    this.#tape = tape;
    // A rebuilt file must have the same blocks.
    this.#options = { ...options, blockRows: tape.footer.blockRows };
  }

  /**
   * Reads a block.
   * @param memory returns a buffer of at least the given number of bytes.
   * @throws HistoryError if the block cannot be read even from rebuilt columns
   */
  async read(
    block: number,
    memory: (bytes: number) => ArrayBuffer,
  ): Promise<{ readonly note: BlockNote; readonly memory: ArrayBuffer }> {
    for (const isLast of [false, true]) {
      const note = this.#tape.footer.blocks[block];
      if (note === undefined) break;
      const into = memory(blockBytes(note));
      if (await readTapeBlock(await this.#opened(), note, new Uint8Array(into)))
        return { note, memory: into };
      if (isLast) break;
      await this.close();
      rmSync(this.#tape.path, { force: true });
      this.#tape = await openDayTape(this.#store, this.#input, this.#options);
    }
    throw new HistoryError(this.#tape.path, "cannot be read back after writing", {
      expected: "a disk without faults",
    });
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #opened(): Promise<FileHandle> {
    this.#file ??= await open(this.#tape.path, "r");
    return this.#file;
  }
}
