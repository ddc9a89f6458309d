/** Gas of a trade's transaction without its orders: base cost, checks, the order sender's fees. */
const GAS_OF_TRANSACTION = 150_000;
/**
 * Gas of one order: its signature and words, its fill, its trader's balance, its events; the first
 * of a market costs the most.
 */
const GAS_OF_ORDER = 170_000;
/** Gas to check one position of a trader for its safety. */
const GAS_OF_POSITION = 32_000;
/**
 * The maximum number of orders in one transaction, whatever a block can hold: one that reverts
 * fails all of its matches.
 */
const MOST_MAKERS = 50;

/** Limits that determine the gas of a trade. */
export interface TradeGasTerms {
  readonly blockGasLimit: number;
  /** The maximum number of positions of a trader. */
  readonly maxPositions: number;
}

/**
 * The gas limit of a trade with this many makers: above the most that it can use, so that it never
 * fails for gas.
 */
export function tradeGas(makers: number, { maxPositions }: TradeGasTerms): number {
  return GAS_OF_TRANSACTION + (makers + 1) * (GAS_OF_ORDER + maxPositions * GAS_OF_POSITION);
}

/** The maximum number of makers in one transaction, at least one: its gas must fit in a block. */
export function makersInTransaction(terms: TradeGasTerms): number {
  let makers = 1;
  while (makers < MOST_MAKERS && tradeGas(makers + 1, terms) <= terms.blockGasLimit) makers += 1;
  return makers;
}
