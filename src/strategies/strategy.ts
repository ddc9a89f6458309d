import type { OperatorFunction, SchedulerLike } from "rxjs";
import type { ZodType } from "zod";
import { checkShape, type ShapeContext } from "../core/config/config-shape.js";
import { describeThrown } from "../core/describe-thrown.js";
import { ConfigError, MarketwrightError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Random } from "../core/runtime/seam.js";
import type { MarketId } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Intent } from "./intent.js";

/**
 * Inputs of a strategy beside its parameters: the only sources of time and chance that it may use.
 */
export interface StrategyContext {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /** For every RxJS operator that owns a timer (`debounceTime`, `auditTime`, `interval` ...): virtual in a backtest. */
  readonly scheduler: SchedulerLike;
  /** Seeded in a backtest and in a simulation. */
  readonly random: Random;
}

/** Levels a side that a view holds where its strategy names no number. */
export const VIEW_LEVELS = 20;

/** A strategy for one market, its parameters already validated. */
export interface BoundStrategy {
  /**
   * The operator for a market.
   * @throws ConfigError when a parameter does not fit the market: a size off its step, for one.
   */
  (context: StrategyContext): OperatorFunction<MarketView, Intent>;
  /** Levels a side that its views hold; 20 when absent. */
  readonly viewLevels?: number | undefined;
}

/** The parts that {@link defineStrategy} makes a strategy of. */
export interface StrategyDefinition<Params> {
  /** Validates `params` of the YAML, and gives them their types and defaults. Unknown keys are refused unless the schema says otherwise. */
  readonly params: ZodType<Params>;
  /**
   * Makes the operator from views to intents (docs/ideas/design.md#strategies). Called once a
   * market. May throw {@link ConfigError}.
   */
  readonly create: (
    params: Params,
    context: StrategyContext,
  ) => OperatorFunction<MarketView, Intent>;
  /**
   * Levels a side that its views hold, where the book has so many: at least what it reads. 20 when
   * absent; fewer are faster.
   */
  readonly viewLevels?: number;
  /** @deprecated Has no effect: every view is frozen. */
  readonly lockedViews?: boolean;
}

/** A strategy as the bot keeps it. */
export interface Strategy {
  /** `"strategy"`; tells a strategy from whatever else a file may export, across copies of this package. */
  readonly marketwright: "strategy";
  /** What it was made of. */
  readonly definition: StrategyDefinition<never>;
  /** The schema of its parameters. */
  readonly params: ZodType;
  /**
   * Validates a market's `params` and binds them.
   * @param place where the parameters stand in the user's file, for errors: `{ at: ["markets", "btcusdc", "params"] }`.
   * @throws ConfigError naming path, value and what would be right.
   */
  bind(params: unknown, place?: ShapeContext): BoundStrategy;
}

/**
 * Makes a strategy of a parameter schema and a factory of an RxJS operator: the default export of a strategy file.
 *
 * @throws ConfigError when the schema or the factory is missing, or the number of levels is none.
 * @example
 * ```ts
 * import { defineStrategy, quoteAround } from "marketwright";
 * import { map } from "rxjs";
 * import { z } from "zod";
 *
 * const strategy = defineStrategy({
 *   params: z.object({ halfSpreadBps: z.number().positive(), sizeBase: z.number().positive() }),
 *   create:
 *     ({ halfSpreadBps, sizeBase }) =>
 *     (view$) =>
 *       view$.pipe(map((view) => quoteAround(view, view.microPrice, { halfSpreadBps, sizeBase }))),
 * });
 * export default strategy;
 *
 * strategy.params.safeParse({ halfSpreadBps: 5, sizeBase: 0.01 }).success; // => true
 * strategy.params.safeParse({ halfSpreadBps: -5, sizeBase: 0.01 }).success; // => false
 * ```
 */
export function defineStrategy<Params>(definition: StrategyDefinition<Params>): Strategy {
  const { params: schema, create, viewLevels } = definition ?? {};
  if (typeof schema?.safeParse !== "function") {
    throw new ConfigError("a strategy needs a schema of its parameters", {
      field: "params",
      expected: "a zod schema, such as z.object({})",
    });
  }
  if (typeof create !== "function") {
    throw new ConfigError("a strategy needs a factory", {
      field: "create",
      expected: "(params, context) => (view$) => intent$",
    });
  }
  if (viewLevels !== undefined && !(Number.isSafeInteger(viewLevels) && viewLevels >= 1)) {
    throw new ConfigError("is no number of levels", {
      field: "viewLevels",
      value: viewLevels,
      expected: "a whole number from 1",
    });
  }
  return Object.freeze({
    marketwright: "strategy" as const,
    definition: definition as unknown as StrategyDefinition<never>,
    params: schema,
    bind(params: unknown, place: ShapeContext = {}): BoundStrategy {
      // A schema may hand on the object that it was given: a strategy that changes it changes no file's, and no other market's.
      const valid = checkedParams(schema, structuredClone(params ?? {}), place);
      return Object.assign((context: StrategyContext) => create(valid, context), {
        viewLevels,
      });
    },
  });
}

function checkedParams<Params>(
  schema: ZodType<Params>,
  params: unknown,
  place: ShapeContext,
): Params {
  try {
    return checkShape(schema, params, place);
  } catch (error) {
    if (error instanceof MarketwrightError) throw error;
    // A check or a transform of the strategy's own threw.
    throw new ConfigError(`the schema of the parameters failed: ${describeThrown(error)}`, {
      field: place.at?.join(".") ?? "params",
      expected: "checks that return what they find",
      cause: error,
    });
  }
}

/** Whether a value was made by {@link defineStrategy}, of this copy of the package or of another. */
export function isStrategy(value: unknown): value is Strategy {
  const candidate = value as Partial<Strategy> | null | undefined;
  return (
    typeof candidate === "object" &&
    candidate?.marketwright === "strategy" &&
    typeof candidate.bind === "function"
  );
}
