import { constants, deflateSync } from "node:zlib";

/**
 * Compresses what is sent on streams opened with `zip` (docs/reference/protocol.md#connections).
 * One event goes to many readers, one after the other, so the last text is kept with its bytes.
 */
export class TextCompressor {
  #text: string | undefined;
  #bytes: Uint8Array = new Uint8Array();

  /** A text in UTF-8, in the zlib format. */
  compress(text: string): Uint8Array {
    if (text !== this.#text) {
      // The bot on the same machine needs the processor more than loopback needs the bytes.
      this.#bytes = deflateSync(text, { level: constants.Z_BEST_SPEED });
      this.#text = text;
    }
    return this.#bytes;
  }
}
