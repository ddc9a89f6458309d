import { constants, deflateSync } from "node:zlib";

/**
 * Compresses messages of streams opened with `zip` (docs/reference/protocol.md#connections). One
 * event goes to many readers in succession, so the last text is cached with its bytes.
 */
export class TextCompressor {
  #text: string | undefined;
  #bytes: Uint8Array = new Uint8Array();

  /** Compresses a text in UTF-8, in the zlib format. */
  compress(text: string): Uint8Array {
    if (text !== this.#text) {
      // A bot on the same machine needs the processor more than loopback needs the bytes.
      this.#bytes = deflateSync(text, { level: constants.Z_BEST_SPEED });
      this.#text = text;
    }
    return this.#bytes;
  }
}
