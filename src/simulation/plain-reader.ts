import type { StreamSink } from "../simulator/streams/stream-sink.js";

/**
 * A stream's reader that accepts everything at once, without compression; `does` overrides its
 * methods.
 */
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
