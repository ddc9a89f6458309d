import { closeSync, writeSync } from "node:fs";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { isWouldBlockError, openNonBlocking } from "../non-blocking-descriptor.js";

/** Stream for frames, such as `process.stdout`. */
export interface FrameStream {
  /** Absent if it is not a descriptor of this process. */
  readonly fd?: number | undefined;
  write(text: string | Uint8Array): unknown;
}

const NONE = Buffer.alloc(0);

/** Shows frames on a terminal without blocking. A terminal that accepts no data skips frames. */
export class TerminalFrames {
  readonly #stream: FrameStream;
  readonly #descriptor: number | undefined;
  /**
   * Remainder of a partly written frame: other output in between could be read as part of an escape
   * sequence.
   */
  #rest: Buffer = NONE;

  constructor(stream: FrameStream) {
    this.#stream = stream;
    this.#descriptor = stream.fd === undefined ? undefined : openNonBlocking(stream.fd);
  }

  /**
   * @param plain the one text that is not masked: a link whose token the reader of the terminal
   * needs.
   * @returns true if the terminal has it, or will have; false if it skips the frame.
   */
  show(frame: string, plain?: string): boolean {
    if (this.#descriptor === undefined) {
      // The stream masks whole addresses itself.
      const rest = plain?.replace(/^https?:\/\//, "").padEnd(plain.length);
      this.#stream.write(
        plain === undefined || rest === undefined ? frame : frame.replaceAll(plain, rest),
      );
      return true;
    }
    if (!this.#writeRest(this.#descriptor)) return false;
    // Nothing else masks direct writes to the descriptor.
    const text = Buffer.from(
      plain === undefined ? maskSecrets(frame) : frame.split(plain).map(maskSecrets).join(plain),
    );
    this.#rest = text;
    // A frame of which nothing is written yet can be dropped.
    if (!this.#writeRest(this.#descriptor) && this.#rest.length === text.length) {
      this.#rest = NONE;
      return false;
    }
    return true;
  }

  /** Shows a frame that must not be skipped, and waits for it. */
  flush(frame: string): void {
    // The remainder may start inside a multi-byte character.
    if (this.#rest.length > 0) this.#stream.write(this.#rest);
    this.#rest = NONE;
    this.#stream.write(frame);
  }

  /** Shows nothing more. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
  }

  #writeRest(descriptor: number): boolean {
    try {
      while (this.#rest.length > 0)
        this.#rest = this.#rest.subarray(writeSync(descriptor, this.#rest));
      return true;
    } catch (error) {
      // A closed terminal accepts nothing more; the process that started this one gets a signal.
      if (!isWouldBlockError(error)) this.#rest = NONE;
      return false;
    }
  }
}
