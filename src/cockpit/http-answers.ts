import type { IncomingMessage, ServerResponse } from "node:http";

/** Longest body of a request. */
const MOST_BODY_BYTES = 16_384;

/** Headers of every answer (https://www.w3.org/TR/CSP3/). */
const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

/** A request that is refused: its status and a sentence for a person. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Writes the head of an answer. */
export function writeHead(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
): void {
  response.writeHead(status, { ...HEADERS, ...headers });
}

/** Answers with a whole body. */
export function sendBody(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  writeHead(response, status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  json: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendBody(response, status, "application/json; charset=utf-8", json, headers);
}

/** Reads the body of a request as JSON. @throws HttpRefusal if it is too long, or not JSON. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const tooLong = new HttpRefusal(
    413,
    `The body is too long: expected at most ${MOST_BODY_BYTES} bytes.`,
  );
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES) throw tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BODY_BYTES) throw tooLong;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpRefusal(400, "The body is not JSON.");
  }
}
