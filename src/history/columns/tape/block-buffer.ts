import { ascendingOrder } from "./ascending-order.js";
import { type BlockShape, blockBytes, blockColumns } from "./block-layout.js";
import { columnLike, isWide, type LotsColumn, MOST_NARROW_LOTS, widen } from "./lots-column.js";
import type { TapeKind } from "./tape.js";

/**
 * Rows, and messages, of a buffer at first: memory for a million would cost most days more than
 * their rows.
 */
const FIRST_ROWS = 1 << 12;

/** Collects messages for one block of a tape file. */
export class BlockBuffer {
  readonly #capacity: number;
  messages = 0;
  rows = 0;
  #exchangeUs: Float64Array;
  #localUs: Float64Array;
  #kind: Uint8Array;
  #rowEnd: Uint32Array;
  #signedTicks: Int32Array;
  /** Becomes wide at the first amount of the day that needs it. */
  #lots: LotsColumn;

  /**
   * @param capacity rows, and messages, at which a block is full. The buffer grows to it, and
   * beyond it by the rows of its last message, which is never divided.
   */
  constructor(capacity: number) {
    this.#capacity = capacity;
    const first = Math.min(capacity, FIRST_ROWS);
    this.#exchangeUs = new Float64Array(first);
    this.#localUs = new Float64Array(first);
    this.#kind = new Uint8Array(first);
    this.#rowEnd = new Uint32Array(first);
    this.#signedTicks = new Int32Array(first);
    this.#lots = new Uint32Array(first);
  }

  /** True if the block is to be written. Check it before beginning a message. */
  get isFull(): boolean {
    return this.rows >= this.#capacity || this.messages >= this.#capacity;
  }

  get firstUs(): number {
    return this.#exchangeUs[0] as number;
  }
  get lastUs(): number {
    return this.#exchangeUs[this.messages - 1] as number;
  }

  begin(kind: TapeKind, exchangeUs: number, localUs: number): void {
    const at = this.messages;
    if (at === this.#kind.length) this.#growMessages(Math.min(2 * at, this.#capacity));
    this.#exchangeUs[at] = exchangeUs;
    this.#localUs[at] = localUs;
    this.#kind[at] = kind;
    this.#rowEnd[at] = this.rows;
    this.messages = at + 1;
  }

  row(signedTicks: number, lots: number): void {
    if (this.rows === this.#lots.length) {
      const [ticks, amounts] = [this.#signedTicks, this.#lots];
      this.#signedTicks = new Int32Array(2 * ticks.length);
      this.#signedTicks.set(ticks);
      this.#lots = columnLike(amounts, 2 * amounts.length);
      this.#lots.set(amounts);
    }
    if (lots > MOST_NARROW_LOTS && !isWide(this.#lots)) this.#lots = widen(this.#lots);
    this.#signedTicks[this.rows] = signedTicks;
    this.#lots[this.rows] = lots;
    this.rows += 1;
    this.#rowEnd[this.messages - 1] = this.rows;
  }

  /** Returns the block's bytes and shape, and empties the buffer. */
  take(): { readonly bytes: Uint8Array; readonly shape: BlockShape } {
    const [messages, rows] = [this.messages, this.rows];
    const byLocal = ascendingOrder(this.#localUs, messages);
    const shape = { messages, rows, hasByLocal: byLocal !== undefined, isWide: isWide(this.#lots) };
    const memory = new ArrayBuffer(blockBytes(shape));
    const columns = blockColumns(memory, shape);
    columns.exchangeUs.set(this.#exchangeUs.subarray(0, messages));
    columns.localUs.set(this.#localUs.subarray(0, messages));
    columns.kind.set(this.#kind.subarray(0, messages));
    columns.rowEnd.set(this.#rowEnd.subarray(0, messages));
    columns.signedTicks.set(this.#signedTicks.subarray(0, rows));
    columns.lots.set(this.#lots.subarray(0, rows));
    if (byLocal !== undefined) columns.byLocal?.set(byLocal);
    this.messages = 0;
    this.rows = 0;
    return { bytes: new Uint8Array(memory), shape };
  }

  #growMessages(messages: number): void {
    const [exchangeUs, localUs] = [this.#exchangeUs, this.#localUs];
    const [kind, rowEnd] = [this.#kind, this.#rowEnd];
    this.#exchangeUs = new Float64Array(messages);
    this.#exchangeUs.set(exchangeUs);
    this.#localUs = new Float64Array(messages);
    this.#localUs.set(localUs);
    this.#kind = new Uint8Array(messages);
    this.#kind.set(kind);
    this.#rowEnd = new Uint32Array(messages);
    this.#rowEnd.set(rowEnd);
  }
}
