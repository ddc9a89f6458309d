import type { Socket } from "node:net";
import { HTTP_BOUNDS } from "../../core/http/http-bounds.js";

/**
 * Sockets whose handshake is not answered yet. The HTTP server no longer knows them: it neither
 * limits their time nor closes them.
 */
export class WaitingSockets {
  readonly #sockets = new Set<Socket>();

  /** Keeps a socket open for {@link HTTP_BOUNDS.timeout}. */
  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // An error closes the socket; without a listener it would be thrown.
    socket.on("error", () => {});
    // Only a socket that is read reports its end. A client sends nothing before the answer.
    socket.resume();
    socket.setTimeout(HTTP_BOUNDS.timeout, () => socket.destroy());
  }

  /** Leaves a socket to the websocket that takes it over. */
  delete(socket: Socket): void {
    if (this.#sockets.delete(socket)) socket.setTimeout(0);
  }

  destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
