import type { FastifyReply } from "fastify";
import type { ApiResponse } from "../rest/api-error.js";
import type { FaultyAnswer } from "./request-faults.js";

/**
 * Sends an answer, or withholds it: the connection then stays until the client ends it, or the
 * server's limit for idle ones does, or it is reset at once.
 */
export function sendFaultyAnswer(
  reply: FastifyReply,
  answer: FaultyAnswer,
  send: (answer: ApiResponse) => FastifyReply,
): FastifyReply {
  if (answer !== "no-answer" && answer !== "connection-lost") return send(answer);
  reply.hijack();
  if (answer === "connection-lost") reply.raw.socket?.resetAndDestroy();
  return reply;
}
