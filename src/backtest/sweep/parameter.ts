import { Decimal } from "decimal.js";
import { ConfigError } from "../../core/errors.js";

/** A value in a bot's or a backtest's file. */
export type ParameterValue = string | number | boolean;

/** A range of numbers that is searched. */
export interface RangeParameter {
  readonly kind: "range";
  readonly path: string;
  readonly min: number;
  readonly max: number;
  readonly scale: "linear" | "log";
  readonly integer: boolean;
  /** Difference between two tried values; on a log scale their quotient. */
  readonly step?: number | undefined;
}

/** A list of values that is searched. */
export interface ListParameter {
  readonly kind: "list";
  readonly path: string;
  readonly values: readonly ParameterValue[];
}

/** A parameter of a sweep: its file, its path there, and its values. */
export type Parameter = RangeParameter | ListParameter;

/** More steps are taken for a mistake. */
const MOST_STEPS = 10_000;
/** Significant digits of a drawn float. */
const DIGITS = 12;

/**
 * All values of a parameter; undefined for a range without steps.
 * @throws ConfigError for a step that leads to too many
 */
export function listValues(parameter: Parameter): readonly ParameterValue[] | undefined {
  if (parameter.kind === "list") return parameter.values;
  const { min, max, scale, integer, path } = parameter;
  const step = parameter.step ?? (integer && scale === "linear" ? 1 : undefined);
  if (step === undefined) return undefined;
  const values: number[] = [];
  let value = new Decimal(min);
  for (
    ;
    value.lte(max) && values.length <= MOST_STEPS;
    value = scale === "log" ? value.mul(step) : value.add(step)
  ) {
    const number = integer
      ? value.round().toNumber()
      : Number(value.toNumber().toPrecision(DIGITS));
    if (number !== values.at(-1)) values.push(number);
  }
  if (values.length <= MOST_STEPS) return values;
  throw new ConfigError("makes too many values", {
    field: `parameters.${path}.step`,
    value: step,
    expected: `a step that gets from ${min} to ${max} in at most ${MOST_STEPS} steps`,
  });
}

/**
 * The value at a share of the way through a parameter.
 * @param share in [0, 1): each value, or each part of the scale, has an equal share.
 */
export function valueAt(parameter: Parameter, share: number): ParameterValue {
  const values = listValues(parameter);
  if (values !== undefined)
    return values[Math.min(values.length - 1, Math.floor(share * values.length))] as ParameterValue;
  const { min, max, scale, integer } = parameter as RangeParameter;
  const value = scale === "log" ? min * (max / min) ** share : min + (max - min) * share;
  const number = integer ? Math.round(value) : Number(value.toPrecision(DIGITS));
  return Math.min(max, Math.max(min, number));
}
