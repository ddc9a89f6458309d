/** Reason why a node did not accept a transaction. */
export type SendRefusalKind =
  /** The node already has it: as good as accepted. */
  | "already-known"
  /** The nonce is in a block: by this transaction, another of ours or another process's. */
  | "nonce-too-low"
  /** The node accepts no transaction before the one below it. */
  | "nonce-too-high"
  /** Another transaction with this nonce is pending, and the fee increase is too small. */
  | "replacement-underpriced"
  /** The fee is below what the node or the next block accepts. */
  | "fee-too-low"
  | "insufficient-funds"
  /** More gas than a block has, or less than the call needs to start. */
  | "gas-limit"
  /** The pool is full, or holds too many transactions of this account. */
  | "pool-full"
  /** No node could be reached, or none sent a known message. It may have been accepted. */
  | "unknown";

/** In this order: a replacement that is underpriced is also "underpriced". */
const WORDS: readonly (readonly [RegExp, SendRefusalKind])[] = [
  [
    /already ?known|known transaction|already imported|already in (?:the )?(?:tx|mem)?pool|existing tx with same hash|already ?exists/i,
    "already-known",
  ],
  [
    /nonce ?(?:is )?too ?low|old ?nonce|nonce has already been used|invalid transaction nonce/i,
    "nonce-too-low",
  ],
  [/nonce ?(?:is )?too ?high|nonce gap|nonce too distant/i, "nonce-too-high"],
  [
    /replacement.*(?:underpriced|not ?allowed)|could not replace existing|future transaction tries to replace/i,
    "replacement-underpriced",
  ],
  [
    /insufficient (?:funds|balance)|insufficientfunds|enough funds|upfront cost exceeds/i,
    "insufficient-funds",
  ],
  [
    /underpriced|fee ?too ?low|less than (?:the )?block base fee|below configured minimum|too low for the next block|tip.*(?:below|lower)/i,
    "fee-too-low",
  ],
  [/gas limit|intrinsic gas|floor data gas|gas ?too ?low/i, "gas-limit"],
  [/pool is full|pool ?full|account ?limit|too many pending/i, "pool-full"],
];

/**
 * Classifies a node's error message. The messages of geth, erigon, nethermind, besu, reth, anvil
 * and edr are known.
 */
export function classifySendRefusal(text: string): SendRefusalKind {
  return WORDS.find(([words]) => words.test(text))?.[1] ?? "unknown";
}
