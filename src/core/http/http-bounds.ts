/**
 * Bounds of every HTTP server of the project against readers that hold connections: one that never finishes its headers,
 * or never reads its answer, is closed. Times in milliseconds.
 */
export const HTTP_BOUNDS = {
  /** Longest request line and headers together, in bytes. */
  maxHeaderSize: 16_384,
  /** From the connection, or the request before, to the last header. */
  headersTimeout: 5_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  /** How often both are checked. */
  connectionsCheckingInterval: 1_000,
  /** Longest time in which a request under way moves no byte. */
  timeout: 60_000,
} as const;
