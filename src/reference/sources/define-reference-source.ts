import type { Observable, SchedulerLike } from "rxjs";
import type { ZodType } from "zod";
import { checkParams } from "../../core/config/check-params.js";
import type { ShapeContext } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import type { SourcePrice } from "../price-message.js";

/** The context of a source of the user's beside its parameters. */
export interface ReferenceSourceContext {
  /** Clock, timers and randomness. */
  readonly runtime: Runtime;
  /** For every RxJS operator with a timer: `interval`, `timer`, `retry` ... */
  readonly scheduler: SchedulerLike;
  /** Writes a line to the bot's log. */
  readonly log: (text: string) => void;
}

/** The argument of {@link defineReferenceSource}. */
export interface ReferenceSourceDefinition<Params> {
  /** Validates `params` of the source, and gives them their types and defaults. */
  readonly params: ZodType<Params>;
  /**
   * Creates one connection: subscribing opens it, unsubscribing must close its sockets and timers.
   * An error or the end of the observable takes the source's last price out of use; after a pause
   * it is created again.
   * @returns prices in quote units for one base unit; NaN for a side without one
   */
  readonly create: (params: Params, context: ReferenceSourceContext) => Observable<SourcePrice>;
}

/** A source with valid parameters: creates one connection. */
export type BoundReferenceSource = (context: ReferenceSourceContext) => Observable<SourcePrice>;

/** A source of the user's, as the bot stores it. */
export interface ReferenceSourceModule {
  /** Distinguishes a source from other exports of a file, across copies of this package. */
  readonly marketwright: "reference-source";
  /** The definition that it was created from. */
  readonly definition: ReferenceSourceDefinition<never>;
  /**
   * Validates `params` and binds them.
   * @param place location of the parameters in the user's file, for errors
   * @throws ConfigError naming path, value and the expected form
   */
  bind(params: unknown, place?: ShapeContext): BoundReferenceSource;
}

/**
 * Makes a source of reference prices of a parameter schema and a factory of an observable: the
 * default export of a file that `references` names with `module`
 * (docs/reference/reference-sources.md#your-own-source).
 *
 * @throws ConfigError when the schema or the factory is missing
 * @example
 * ```ts
 * import { defineReferenceSource } from "marketwright";
 * import { map, timer } from "rxjs";
 * import { z } from "zod";
 *
 * const source = defineReferenceSource({
 *   params: z.object({ priceQuote: z.number().positive() }),
 *   create: ({ priceQuote }, { runtime, scheduler }) =>
 *     timer(0, 250, scheduler).pipe(
 *       map(() => ({ bid: priceQuote, ask: priceQuote, timeMs: runtime.clock.nowMs() })),
 *     ),
 * });
 * export default source;
 *
 * typeof source.bind({ priceQuote: 60000 }); // => "function"
 * source.bind({ priceQuote: -1 }); // throws ConfigError
 * ```
 */
export function defineReferenceSource<Params>(
  definition: ReferenceSourceDefinition<Params>,
): ReferenceSourceModule {
  const { params: schema, create } = definition ?? {};
  if (typeof schema?.safeParse !== "function")
    throw new ConfigError("a source needs a schema of its parameters", {
      field: "params",
      expected: "a zod schema, such as z.object({})",
    });
  if (typeof create !== "function")
    throw new ConfigError("a source needs a factory", {
      field: "create",
      expected: "(params, context) => price$",
    });
  return Object.freeze({
    marketwright: "reference-source" as const,
    definition: definition as unknown as ReferenceSourceDefinition<never>,
    bind(params: unknown, place: ShapeContext = {}): BoundReferenceSource {
      const valid = checkParams(schema, params, place);
      return (context) => create(valid, context);
    },
  });
}

/** True if a value was created by {@link defineReferenceSource}, of any copy of the package. */
export function isReferenceSource(value: unknown): value is ReferenceSourceModule {
  const candidate = value as Partial<ReferenceSourceModule> | null | undefined;
  return (
    typeof candidate === "object" &&
    candidate?.marketwright === "reference-source" &&
    typeof candidate.bind === "function"
  );
}
