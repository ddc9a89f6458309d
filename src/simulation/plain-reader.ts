import type { StreamSink } from "../simulator/streams/stream-sink.js";

/**
 * A stream's reader that accepts everything at once, without compression; `does` overrides its
 * methods.
 */
export function plainReader(does: Partial<StreamSink> = {}): StreamSink {
  return {
    send: () => {},
    sendBytes: () => {
      throw new Error("this reader takes no compressed messages");
    },
    ping: () => {},
    close: () => {},
    terminate: () => {},
    bufferedBytes: () => 0,
    ...does,
  };
}
