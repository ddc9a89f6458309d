/**
 * Limits of every HTTP server of the project against readers that hold connections: one that never
 * finishes its headers, or never reads its response, is closed. Times in milliseconds.
 */
export const HTTP_BOUNDS = {
  /** Longest request line and headers together, in bytes. */
  maxHeaderSize: 16_384,
  /** From the connection, or the previous request, to the last header. */
  headersTimeout: 5_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  /** Interval of both checks. */
  connectionsCheckingInterval: 1_000,
  /** Longest time in which a request in progress transfers no byte. */
  timeout: 60_000,
} as const;
