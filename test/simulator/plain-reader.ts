import type { StreamSink } from "#simulator/stream-sink.js";

/** A stream's reader that takes everything at once and asked for no compression; what it does with what comes is given. */
export function plainReader(does: Partial<StreamSink> = {}): StreamSink {
  return {
    send: () => {},
    sendBytes: () => {
      throw new Error("nobody asked for compression");
    },
    ping: () => {},
    close: () => {},
    terminate: () => {},
    bufferedBytes: () => 0,
    ...does,
  };
}
