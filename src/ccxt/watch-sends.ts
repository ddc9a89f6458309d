import type { CcxtClient } from "./ccxt-exchange.js";

/** The clients whose sends are watched. */
const watched = new WeakSet<CcxtClient>();

/**
 * Handles the rejections of a websocket's sends. ccxt sends a subscription without waiting for it.
 * If the socket was closed meanwhile, the unhandled rejection would end the process. The loss of
 * the connection is reported apart from it.
 */
export function watchSends(client: CcxtClient): void {
  if (watched.has(client)) return;
  watched.add(client);
  const send = client.send.bind(client);
  client.send = (message) => {
    const sent = send(message);
    sent.catch(() => undefined);
    return sent;
  };
}
