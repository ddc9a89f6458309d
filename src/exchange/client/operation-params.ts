import type { Int64Id, Ms } from "../../core/units.js";
import type { DecimalInput } from "../protocol/decimal.js";
import type { OperationName, OperationTable } from "../protocol/operations.js";
import type { OperationParameter } from "../protocol/parameters.js";

/** An id as accepted from callers: its digits, or an integer that is exact. */
export type IdInput = Int64Id | bigint | number;

type Numeric<Word> = Word extends `${infer Count extends number}` ? Count : never;

/** The accepted type of one parameter. */
type InputOf<Parameter extends OperationParameter> = Parameter extends {
  readonly type: "enum";
  readonly values: readonly (infer Word extends string)[];
}
  ? Word | Numeric<Word>
  : Parameter["type"] extends "decimal"
    ? DecimalInput
    : Parameter["type"] extends "id"
      ? IdInput
      : Parameter["type"] extends "integer"
        ? number
        : Parameter["type"] extends "ms"
          ? Ms
          : string;

type ParameterOf<Name extends OperationName> = OperationTable[Name]["parameters"][number];
type RequiredOf<Name extends OperationName> = Extract<
  ParameterOf<Name>,
  { readonly required: true }
>;
type OptionalOf<Name extends OperationName> = Extract<
  ParameterOf<Name>,
  { readonly required: false }
>;

/**
 * The parameters of an operation, from the table that `call --help` lists too: `OPERATIONS`. A
 * decimal is a text, a bigint or a Decimal, never a float; an id a text, a bigint or a safe
 * integer.
 */
export type OperationParams<Name extends OperationName> = {
  readonly [Parameter in RequiredOf<Name> as Parameter["name"]]: InputOf<Parameter>;
} & {
  readonly [Parameter in OptionalOf<Name> as Parameter["name"]]?: InputOf<Parameter> | undefined;
};
