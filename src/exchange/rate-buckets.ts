import { OPERATIONS, type Operation, type OperationName } from "./protocol/operations.js";

/** The rate limits (`exchangeInfo.rateLimits`, by name) that each operation counts against. */
export type RateBuckets = Readonly<Record<OperationName, readonly string[]>>;

function bucketsBy(limits: (bucket: Operation["bucket"]) => readonly string[]): RateBuckets {
  return Object.fromEntries(
    Object.values(OPERATIONS).map(({ name, bucket }) => [name, limits(bucket)]),
  ) as Record<OperationName, readonly string[]>;
}

/**
 * The limits of each operation. The exchange does not publish whether its two buckets overlap: what
 * builds, places or cancels is counted in both, which is right or too careful either way
 * (docs/reference/protocol.md#rate-limits).
 */
export const RATE_BUCKETS = bucketsBy((bucket) =>
  bucket === "ORDER" ? ["ORDER", "COMMON"] : [bucket],
);

/** The same where the two limits do not overlap: an ORDER operation counts against ORDER alone. */
export const DISJOINT_RATE_BUCKETS = bucketsBy((bucket) => [bucket]);
