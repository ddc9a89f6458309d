/** Why a node did not take a transaction. */
export type SendRefusalKind =
  /** It has it: as good as taken. */
  | "already-known"
  /** The nonce is in a block: by this transaction, another of ours or somebody else's. */
  | "nonce-too-low"
  /** A node that takes no transaction before the one below it. */
  | "nonce-too-high"
  /** Another one with this nonce is there, and this does not pay enough more. */
  | "replacement-underpriced"
  /** It pays less than the node or the next block takes. */
  | "fee-too-low"
  | "insufficient-funds"
  /** More gas than a block has, or less than the call needs to begin. */
  | "gas-limit"
  /** The pool is full, or holds too many of this account. */
  | "pool-full"
  /** No node could be reached, or none said anything that is known. It may have been taken. */
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

/** What a node's words mean; those of geth, erigon, nethermind, besu, reth, anvil and edr are known. */
export function classifySendRefusal(text: string): SendRefusalKind {
  return WORDS.find(([words]) => words.test(text))?.[1] ?? "unknown";
}
