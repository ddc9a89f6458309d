import { closeSync, writeSync } from "node:fs";
import { maskSecrets } from "../core/crypto/secrets.js";
import { isWouldBlockError, openNonBlocking } from "./non-blocking-descriptor.js";

/** Where frames are shown; `process.stdout` is one. */
export interface FrameStream {
  /** Absent where it is no descriptor of this process. */
  readonly fd?: number | undefined;
  write(text: string | Uint8Array): unknown;
}

const NONE = Buffer.alloc(0);

/** Shows one frame after another on a terminal, without waiting for one that takes none: it misses those that come meanwhile. */
export class TerminalFrames {
  readonly #stream: FrameStream;
  readonly #descriptor: number | undefined;
  /** Of the frame that the terminal has a part of: whatever came amid it would be taken for the end of an escape sequence. */
  #rest: Buffer = NONE;

  constructor(stream: FrameStream) {
    this.#stream = stream;
    this.#descriptor = stream.fd === undefined ? undefined : openNonBlocking(stream.fd);
  }

  /** @returns whether the terminal has it, or will have; false for one that it misses. */
  show(frame: string): boolean {
    if (this.#descriptor === undefined) {
      this.#stream.write(frame);
      return true;
    }
    if (!this.#writeRest(this.#descriptor)) return false;
    // Nothing else masks what goes to the descriptor itself.
    const text = Buffer.from(maskSecrets(frame));
    this.#rest = text;
    // What it has nothing of yet is not owed to it.
    if (!this.#writeRest(this.#descriptor) && this.#rest.length === text.length) {
      this.#rest = NONE;
      return false;
    }
    return true;
  }

  /** Shows the last one, for which it waits. */
  end(frame: string): void {
    // The rest may begin amid a character.
    if (this.#rest.length > 0) this.#stream.write(this.#rest);
    this.#rest = NONE;
    this.#stream.write(frame);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #writeRest(descriptor: number): boolean {
    try {
      while (this.#rest.length > 0)
        this.#rest = this.#rest.subarray(writeSync(descriptor, this.#rest));
      return true;
    } catch (error) {
      // A terminal that is gone takes nothing more; whoever started the process hears of that by its signal.
      if (!isWouldBlockError(error)) this.#rest = NONE;
      return false;
    }
  }
}
