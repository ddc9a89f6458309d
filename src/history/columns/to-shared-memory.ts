/**
 * Returns the columns with every array in shared memory, so that a thread receives them without a
 * copy. Arrays already in shared memory are kept.
 */
export function toSharedMemory<Columns extends object>(columns: Columns): Columns {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      ArrayBuffer.isView(column) ? inShared(column) : column,
    ]),
  ) as Columns;
}

function inShared(column: ArrayBufferView): ArrayBufferView {
  if (column.buffer instanceof SharedArrayBuffer) return column;
  const bytes = new Uint8Array(new SharedArrayBuffer(column.byteLength));
  bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  const Column = column.constructor as new (buffer: SharedArrayBuffer) => ArrayBufferView;
  return new Column(bytes.buffer);
}
