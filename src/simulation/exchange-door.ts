import type { HttpRequest, HttpResult } from "../exchange/rest/transport.js";
import type { EmbeddedExchange } from "../simulator/exchange.js";

/** The side of the embedded exchange that a network reaches. */
export type ExchangeDoor = Pick<EmbeddedExchange, "handle" | "connect">;

/**
 * Answers a request from an address as the exchange does, in the form of a transport: at once,
 * without a network.
 */
export function answerAt(
  door: ExchangeDoor,
  { method, path, params }: HttpRequest,
  ip: string,
): Extract<HttpResult, { ok: true }> {
  const isPost = method === "POST";
  const { status, body, headers } = door.handle({
    method,
    path,
    query: isPost ? "" : params,
    body: isPost ? params : "",
    ...(isPost ? { contentType: "application/x-www-form-urlencoded" } : {}),
    ip,
  });
  const retryAfter = headers?.["retry-after"];
  return {
    ok: true,
    status,
    body,
    retryAfterMs: retryAfter === undefined ? undefined : Number(retryAfter) * 1000,
  };
}
