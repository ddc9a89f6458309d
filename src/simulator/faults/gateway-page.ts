import type { ApiResponse } from "../rest/api-error.js";

const PAGE = "<html><body><h1>The server is unavailable</h1></body></html>";

/** A gateway's page: a 5xx need not come from the exchange, nor be JSON. */
export function gatewayPage(status: number): ApiResponse {
  return { status, body: PAGE, headers: { "content-type": "text/html; charset=utf-8" } };
}
