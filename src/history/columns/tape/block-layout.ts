import type { LotsColumn } from "./lots-column.js";

/** The contents of one block of a tape file: consecutive messages with all their rows. */
export interface BlockShape {
  readonly messages: number;
  readonly rows: number;
  /** True if the order by local clock is stored; otherwise both clocks give the same order. */
  readonly hasByLocal: boolean;
  /** True if amounts take eight bytes each: see {@link LotsColumn}. */
  readonly isWide: boolean;
}

/** A block's columns: views on one buffer. */
interface BlockColumns {
  readonly exchangeUs: Float64Array;
  readonly localUs: Float64Array;
  readonly kind: Uint8Array;
  /** Counted from the block's first row. */
  readonly rowEnd: Uint32Array;
  readonly signedTicks: Int32Array;
  readonly lots: LotsColumn;
  /** Counted from the block's first message. */
  readonly byLocal: Uint32Array | undefined;
}

/** Each column begins at a multiple of this, so that a view of its type fits. */
const ALIGNMENT = 8;

/** The size of a block in bytes: its columns in sequence, each padded to eight bytes. */
export function blockBytes({ messages, rows, hasByLocal, isWide }: BlockShape): number {
  const stamps = 2 * padded(8 * messages);
  return (
    stamps +
    padded(4 * messages) * (hasByLocal ? 2 : 1) +
    padded(4 * rows) +
    padded((isWide ? 8 : 4) * rows) +
    padded(messages)
  );
}

/** The columns of a block that lies at the beginning of a buffer. */
export function blockColumns<Memory extends ArrayBufferLike>(
  memory: Memory,
  { messages, rows, hasByLocal, isWide }: BlockShape,
): BlockColumns {
  let at = 0;
  const next = (bytes: number): number => {
    const from = at;
    at += padded(bytes);
    return from;
  };
  return {
    exchangeUs: new Float64Array(memory, next(8 * messages), messages),
    localUs: new Float64Array(memory, next(8 * messages), messages),
    byLocal: hasByLocal ? new Uint32Array(memory, next(4 * messages), messages) : undefined,
    rowEnd: new Uint32Array(memory, next(4 * messages), messages),
    signedTicks: new Int32Array(memory, next(4 * rows), rows),
    lots: isWide
      ? new Float64Array(memory, next(8 * rows), rows)
      : new Uint32Array(memory, next(4 * rows), rows),
    kind: new Uint8Array(memory, next(messages), messages),
  };
}

function padded(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
