/** The public entry of `marketwright/testing`: what an author tests a strategy with. */
export {
  type BacktestedIntent,
  type BacktestStrategyOptions,
  backtestStrategy,
  type FileValues,
  type StrategyBacktest,
} from "./backtest-strategy.js";
export { Capture, type CaptureMessage } from "./capture.js";
export { type CheckStrategyOptions, checkStrategy } from "./check-strategy.js";
export {
  type CreateCaptureOptions,
  createCapture,
  type PlainBook,
  type PlainTrade,
} from "./create-capture.js";
export { type FindAcceptedParamsOptions, findAcceptedParams } from "./find-accepted-params.js";
export { type FindInvalidIntentsOptions, findInvalidIntents } from "./find-invalid-intents.js";
export {
  type CaptureLookAheadOptions,
  findLookAhead,
  type StrategyFrom,
  type ViewsLookAheadOptions,
} from "./find-look-ahead.js";
export { type FindNondeterminismOptions, findNondeterminism } from "./find-nondeterminism.js";
export { type GenerateCaptureOptions, generateCapture } from "./generate-capture.js";
export {
  makeView,
  type PlainLevel,
  type PlainView,
  TEST_START_MS,
  type ViewPlace,
} from "./make-view.js";
export type { PlayViewsOptions } from "./play-views.js";
export { type RecordViewsOptions, recordViews } from "./record-views.js";
export {
  type OpenCaptureOptions,
  openCapture,
  type WriteCaptureOptions,
  writeCapture,
} from "./stored-capture.js";
export {
  assertNoFindings,
  type StrategyCheck,
  StrategyCheckError,
  type StrategyFinding,
} from "./strategy-finding.js";
export {
  type EmittedIntent,
  type IntentRefusal,
  type PlainQuote,
  type StrategyHarness,
  type TestStrategyOptions,
  testStrategy,
} from "./strategy-harness.js";
export { TEST_INSTRUMENT } from "./test-instrument.js";
