import { checkShape, type ShapeContext } from "../../core/config/config-shape.js";
import { ConfigError } from "../../core/errors.js";
import type { ParamsChanges } from "../params-changes.js";
import { type PartsState, quotingPartsField, type ValidQuotingParts } from "./quoting-parts.js";

/** Validated parameters of a strategy, and of the parts that act on its quotes. */
export class PartedParams {
  readonly own: unknown;
  readonly parts: ValidQuotingParts;

  constructor(own: unknown, parts: ValidQuotingParts) {
    this.own = own;
    this.parts = parts;
  }
}

/**
 * Separates `parts` from a strategy's own parameters, whose schema does not know it.
 * @throws ConfigError for parts that are not valid
 */
export function splitParts(
  params: unknown,
  place: ShapeContext,
): { readonly own: unknown; readonly parts: ValidQuotingParts | undefined } {
  if (typeof params !== "object" || params === null || !("parts" in params))
    return { own: params, parts: undefined };
  const { parts, ...own } = params;
  if (parts === undefined) return { own, parts };
  const at = [...(place.at ?? ["params"]), "parts"];
  return { own, parts: checkShape(quotingPartsField, parts, { ...place, at }) };
}

/**
 * Refuses parts that move quotes of a strategy which plans a position for each price.
 * @throws ConfigError naming the part
 */
export function refuseWidening(
  { schedule, volatilitySpread }: ValidQuotingParts,
  { at = ["params"] }: ShapeContext,
): void {
  const part =
    volatilitySpread !== undefined
      ? "volatilitySpread"
      : schedule?.beforeFunding !== undefined
        ? "schedule.beforeFunding"
        : undefined;
  if (part === undefined) return;
  throw new ConfigError("does not go with a strategy whose prices are fixed", {
    field: [...at, "parts", part].join("."),
    expected: "no part that moves quotes: activeHours and blackouts only",
  });
}

/** The changes of a strategy's own parameters; those of its parts go to their state. */
export function changesBehindParts<Params>(
  changes: ParamsChanges<unknown>,
  state: PartsState,
): ParamsChanges<Params> {
  return {
    follow: ({ apply, preview }) =>
      changes.follow({
        apply: (params) => {
          const { own, parts } = params as PartedParams;
          state.configure(parts);
          apply(own as Params);
        },
        ...(preview === undefined
          ? {}
          : {
              preview: (params, view) => {
                const { own, parts } = params as PartedParams;
                return state.preview(parts, preview(own as Params, view), view);
              },
            }),
      }),
  };
}
