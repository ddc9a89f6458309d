/** The public entry of `marketwright`: what somebody's own strategy is written with. */
export { ConfigError, FormatError, MarketwrightError, RunError } from "./core/errors.js";
export { Instrument, type InstrumentGrid } from "./core/instrument.js";
export type { Clock, Random, Runtime, Timer } from "./core/runtime/runtime.js";
export type { CreditUnits, Lots, MarketId, Ms, Side, Ticks } from "./core/units.js";
export type { Level } from "./market/book/readable-book.js";
export type { DecisionCause, HedgeView, MarketView } from "./market/view.js";
export type { SourcePrice } from "./reference/price-message.js";
export type { ReferenceSnapshot } from "./reference/reference-snapshot.js";
export {
  type BoundReferenceSource,
  defineReferenceSource,
  type ReferenceSourceContext,
  type ReferenceSourceDefinition,
  type ReferenceSourceModule,
} from "./reference/sources/define-reference-source.js";
export * from "./strategies/former-names.js";
export type {
  Intent,
  Quote,
  QuoteReason,
  QuotesIntent,
  TargetIntent,
} from "./strategies/intent.js";
export {
  inventoryFraction,
  type SizeMultipliers,
  sizeMultipliers,
} from "./strategies/inventory-skew.js";
export {
  type AvellanedaStoikovInputs,
  type AvellanedaStoikovQuotes,
  type AvellanedaStoikovVariant,
  avellanedaStoikovQuotes,
} from "./strategies/models/avellaneda-stoikov-quotes.js";
export {
  type FillIntensity,
  FillIntensityEstimator,
  type FillIntensityWindow,
  type TradedView,
} from "./strategies/models/fill-intensity.js";
export {
  type AnnouncedFunding,
  type CarryBand,
  type CarryRisk,
  carryBand,
  type FundingCarry,
  fundingCarry,
} from "./strategies/models/funding-carry.js";
export {
  type FundingRateFit,
  FundingRateModel,
  type FundingRateModelOptions,
  type PaidRate,
} from "./strategies/models/funding-rate-model.js";
export {
  type GlftDistances,
  GlftExactQuotes,
  type GlftModel,
  type GlftTerms,
  glftApproximateQuotes,
  glftFillTerm,
  glftTerms,
} from "./strategies/models/glft-quotes.js";
export {
  type MicroPriceWindow,
  StoikovMicroPrice,
} from "./strategies/models/stoikov-micro-price.js";
export {
  EwmaVolatility,
  RollingVolatility,
  type VolatilityEstimator,
  type VolatilityWindow,
} from "./strategies/models/volatility.js";
export type { ParamsChanges, ParamsFollower } from "./strategies/params-changes.js";
export { type QuotingParts, withQuotingParts } from "./strategies/parts/quoting-parts.js";
export { type QuoteAroundOptions, quoteAround } from "./strategies/quote-around.js";
export { type ShapedQuotes, shapeQuotes, type WantedLevel } from "./strategies/shape-quotes.js";
export { baseToExactLots, baseToLots } from "./strategies/size-lots.js";
export {
  type BoundStrategy,
  defineStrategy,
  type HedgeRequirement,
  type InventoryPlan,
  type Strategy,
  type StrategyContext,
  type StrategyDefinition,
} from "./strategies/strategy.js";
