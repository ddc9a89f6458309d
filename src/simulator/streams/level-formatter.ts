import type { Instrument } from "../../core/instrument.js";
import type { Lots, Ticks } from "../../core/units.js";

const KEPT = 200_000;

/** Formats levels as JSON. A book has few prices, so their text is cached. */
export class LevelFormatter {
  readonly #instrument: Instrument;
  readonly #prices = new Map<Ticks, string>();
  readonly #amounts = new Map<Lots, string>();

  constructor(instrument: Instrument) {
    this.#instrument = instrument;
  }

  /** One level as `["price","amount"]`. */
  level(ticks: Ticks, lots: Lots): string {
    const price = kept(this.#prices, ticks, () => `["${this.#instrument.formatPrice(ticks)}","`);
    return price + kept(this.#amounts, lots, () => `${this.#instrument.formatAmount(lots)}"]`);
  }
}

function kept(texts: Map<number, string>, key: number, make: () => string): string {
  let text = texts.get(key);
  if (text === undefined) {
    if (texts.size >= KEPT) {
      texts.clear();
    }
    text = make();
    texts.set(key, text);
  }
  return text;
}
