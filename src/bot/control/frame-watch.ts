import type { Socket } from "node:net";
import { maskSecrets } from "../../core/crypto/secrets.js";
import type { Clock, Timer } from "../../core/runtime/runtime.js";
import type { Ms } from "../../core/units.js";
import { controlError, encodeControlResponse } from "./control-protocol.js";

/** Answers `watch`. */
export interface WatchSource {
  readonly clock: Clock;
  /** The data of one line. If it throws, the line is the error. */
  readonly frame: () => unknown;
}

/** The frames of one connection that watches a bot, from its command to the connection's end. */
export class FrameWatch {
  readonly socket: Socket;
  readonly #everyMs: Ms;
  readonly #source: WatchSource;
  readonly #onEnd: () => void;
  #timer: Timer | undefined;

  constructor(socket: Socket, everyMs: Ms, source: WatchSource, onEnd: () => void) {
    this.socket = socket;
    this.#everyMs = everyMs;
    this.#source = source;
    this.#onEnd = onEnd;
  }

  /** Sends the first frame now, and the next ones at the interval. */
  start(): void {
    this.socket.once("close", this.stop);
    this.#send();
  }

  readonly stop = (): void => {
    this.#timer?.cancel();
    this.socket.off("close", this.stop);
    this.#onEnd();
  };

  #send(): void {
    // A reader that is behind gets the newest frame later, and none in between: nothing queues up.
    if (this.socket.writable && this.socket.writableLength === 0) this.socket.write(this.#line());
    this.#timer = this.#source.clock.setTimer(this.#everyMs, () => this.#send());
  }

  #line(): string {
    let text: string;
    try {
      text = encodeControlResponse({ ok: true, data: this.#source.frame() });
    } catch (cause) {
      text = encodeControlResponse(controlError(cause));
    }
    return maskSecrets(text);
  }
}
