import type { OperatorFunction, SchedulerLike } from "rxjs";
import type { ZodType } from "zod";
import { checkParams } from "../core/config/check-params.js";
import type { ShapeContext } from "../core/config/config-shape.js";
import { ConfigError } from "../core/errors.js";
import type { Instrument } from "../core/instrument.js";
import type { Random } from "../core/runtime/runtime.js";
import type { Lots, MarketId, Ticks } from "../core/units.js";
import type { MarketView } from "../market/view.js";
import type { Intent } from "./intent.js";
import { type ParamsChanges, ParamsChannel } from "./params-changes.js";
import {
  changesBehindParts,
  PartedParams,
  refuseWidening,
  splitParts,
} from "./parts/parted-params.js";
import { PartsState, shapedByParts } from "./parts/quoting-parts.js";

/**
 * The context of a strategy beside its parameters: the only sources of time and randomness that it
 * may use.
 */
export interface StrategyContext {
  readonly marketId: MarketId;
  readonly instrument: Instrument;
  /**
   * For every RxJS operator with a timer (`debounceTime`, `auditTime`, `interval` ...): virtual in
   * a backtest.
   */
  readonly scheduler: SchedulerLike;
  /** Seeded in a backtest and in a simulation. */
  readonly random: Random;
  /**
   * The maker fee that orders of the market are signed with at present, in basis points; negative
   * is a rebate. A bot always provides it.
   */
  readonly makerFeeBps?: (() => number) | undefined;
  /**
   * States the move of the mid that the strategy expects from the newest view on, in fractional
   * ticks: at each view that it predicts from, if its quotes change or not. A backtest compares it
   * with what the mid does then (docs/reference/backtest-report.md#figures). It changes no order. A
   * bot always provides it.
   * @throws FormatError for what is not a finite number
   */
  readonly predictMove?: ((moveTicks: number) => void) | undefined;
  /**
   * The folder of the bot's file, from which paths in parameters start. A bot always provides it.
   */
  readonly folder?: string | undefined;
}

/**
 * The position of a strategy that holds a given position at each price, such as a grid: for the
 * figures of `explain` before it starts.
 */
export interface InventoryPlan {
  /**
   * From the lowest price: the position once every order up to that price has filled. Between two
   * neighbours the difference is bought at the lower price and sold at the upper one.
   */
  readonly levels: readonly { readonly ticks: Ticks; readonly positionLots: Lots }[];
}

/** Default number of levels per side in a view. */
export const VIEW_LEVELS = 20;

/**
 * A strategy that works by both legs of a hedge needs one and the taker fee there; one that works
 * by the position of this exchange alone refuses it. Undefined goes with and without.
 */
export type HedgeRequirement = "needed" | "refused" | undefined;

/** A strategy for one market with validated parameters. */
export interface BoundStrategy {
  /**
   * Creates the operator for a market.
   * @param changes later changes of the parameters; none if absent
   * @throws ConfigError when a parameter does not fit the market: a size off its step, for example
   */
  (
    context: StrategyContext,
    changes?: ParamsChanges<unknown>,
  ): OperatorFunction<MarketView, Intent>;
  /** Levels per side in its views; 20 if absent (`VIEW_LEVELS`). */
  readonly viewLevels?: number | undefined;
  /** The validated parameters; {@link PartedParams} with parts. */
  readonly params?: unknown;
  /**
   * True if parts act on its quotes. With or without them it is another operator, and is started
   * again.
   */
  readonly hasParts?: boolean | undefined;
  /** True if its market has to have a `reference`. */
  readonly needsReference?: boolean | undefined;
  /** Requirement for its market's `hedge`. */
  readonly hedge?: HedgeRequirement | undefined;
  /** Absent unless the strategy holds a given position at each price. */
  readonly inventoryPlan?: ((context: StrategyContext) => InventoryPlan) | undefined;
  /**
   * The same strategy with other parameters. @throws ConfigError as {@link Strategy.bind} does
   */
  readonly rebind?: (params: unknown, place?: ShapeContext) => BoundStrategy;
}

/** The argument of {@link defineStrategy}. */
export interface StrategyDefinition<Params> {
  /**
   * Validates `params` of the YAML, and gives them their types and defaults. Unknown keys are
   * refused unless the schema allows them.
   */
  readonly params: ZodType<Params>;
  /**
   * Creates the operator from views to intents (docs/ideas/design.md#strategies). Called once per
   * market and start; and before the parameters change, to check them. May throw
   * {@link ConfigError}.
   * @param changes changes of the parameters while the bot runs. A strategy that follows them keeps
   * its state; any other is created again.
   */
  readonly create: (
    params: Params,
    context: StrategyContext,
    changes: ParamsChanges<Params>,
  ) => OperatorFunction<MarketView, Intent>;
  /**
   * Levels per side in its views, if the book has so many: at least the number that the strategy
   * reads. 20 if absent (`VIEW_LEVELS`); fewer are faster.
   */
  readonly viewLevels?: number;
  /**
   * Returns true for parameters by which the strategy quotes around `view.reference`. A bot's file
   * is then refused if the market has no `reference`. Never if absent.
   */
  readonly needsReference?: (params: Params) => boolean;
  /** Returns the requirement for its market's `hedge`, by the parameters. None if absent. */
  readonly hedge?: (params: Params) => HedgeRequirement;
  /**
   * The position at each price, of a strategy that works by the account's own position. `explain`
   * derives capital and break-even from it. A market with `hedge` is refused: there the position of
   * a view is the sum of both legs.
   */
  readonly inventoryPlan?: (params: Params, context: StrategyContext) => InventoryPlan;
  /** @deprecated Has no effect: every view is frozen. */
  readonly lockedViews?: boolean;
}

/** A strategy as the bot stores it. */
export interface Strategy {
  /**
   * `"strategy"` distinguishes a strategy from other exports of a file, across copies of this
   * package.
   */
  readonly marketwright: "strategy";
  /** The definition that it was created from. */
  readonly definition: StrategyDefinition<never>;
  /** The schema of its parameters. */
  readonly params: ZodType;
  /**
   * Validates a market's `params` and binds them.
   * @param place location of the parameters in the user's file, for errors:
   * `{ at: ["markets", "btcusdc", "params"] }`
   * @throws ConfigError naming path, value and the expected form
   */
  bind(params: unknown, place?: ShapeContext): BoundStrategy;
}

/**
 * Makes a strategy of a parameter schema and a factory of an RxJS operator: the default export of a
 * strategy file.
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
  const {
    params: schema,
    create,
    viewLevels,
    needsReference,
    inventoryPlan,
    hedge,
  } = definition ?? {};
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
    throw new ConfigError("is not a number of levels", {
      field: "viewLevels",
      value: viewLevels,
      expected: "a whole number from 1",
    });
  }
  if (needsReference !== undefined && typeof needsReference !== "function") {
    throw new ConfigError("is not a function", {
      field: "needsReference",
      value: needsReference,
      expected: "(params) => boolean, or nothing",
    });
  }
  if (inventoryPlan !== undefined && typeof inventoryPlan !== "function") {
    throw new ConfigError("is not a function", {
      field: "inventoryPlan",
      value: inventoryPlan,
      expected: "(params, context) => ({ levels }), or nothing",
    });
  }
  if (hedge !== undefined && typeof hedge !== "function") {
    throw new ConfigError("is not a function", {
      field: "hedge",
      value: hedge,
      expected: '(params) => "needed", "refused" or undefined; or nothing',
    });
  }
  const bind = (params: unknown, place: ShapeContext = {}): BoundStrategy => {
    const { own, parts } = splitParts(params, place);
    const valid = checkParams(schema, own, place);
    if (inventoryPlan !== undefined && parts !== undefined) refuseWidening(parts, place);
    const created = (
      context: StrategyContext,
      changes: ParamsChanges<unknown> = new ParamsChannel(),
    ): OperatorFunction<MarketView, Intent> => {
      if (parts === undefined) return create(valid, context, changes as ParamsChanges<Params>);
      const state = new PartsState(parts);
      const operator = create(valid, context, changesBehindParts(changes, state));
      return shapedByParts(operator, state);
    };
    return Object.assign(created, {
      viewLevels,
      params: parts === undefined ? valid : new PartedParams(valid, parts),
      hasParts: parts !== undefined,
      needsReference: needsReference?.(valid) === true,
      hedge: hedge?.(valid),
      inventoryPlan:
        inventoryPlan === undefined
          ? undefined
          : (context: StrategyContext) => inventoryPlan(valid, context),
      rebind: bind,
    });
  };
  return Object.freeze({
    marketwright: "strategy" as const,
    definition: definition as unknown as StrategyDefinition<never>,
    params: schema,
    bind,
  });
}

/**
 * Returns true if a value was created by {@link defineStrategy}, of this copy of the package or of
 * another.
 */
export function isStrategy(value: unknown): value is Strategy {
  const candidate = value as Partial<Strategy> | null | undefined;
  return (
    typeof candidate === "object" &&
    candidate?.marketwright === "strategy" &&
    typeof candidate.bind === "function"
  );
}
