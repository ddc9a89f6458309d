import { type OperationParameter, SPELLINGS } from "../../exchange/protocol/parameters.js";

/** The subset of JSON Schema that parameters use. */
export interface ParameterSchema {
  readonly type: "string" | "integer";
  readonly format?: string;
  readonly pattern?: string | undefined;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly default?: string | number | undefined;
}

/** One parameter of an operation: in the query, or for a POST in the form. */
export interface ApiParameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: ParameterSchema;
  readonly description: string;
}

/** A parameter as the document shows it. */
export function documented(parameter: OperationParameter): ApiParameter {
  const { name, required, note = "", description = note } = parameter;
  const { default: usual } = parameter;
  const schema = { ...schemaOf(parameter), ...(usual !== undefined && { default: usual }) };
  return { name, required, schema, description };
}

function schemaOf({
  type,
  values = [],
  max,
  maxLength,
  pattern,
}: OperationParameter): ParameterSchema {
  switch (type) {
    case "string":
      return { type, ...(maxLength !== undefined && { maxLength }) };
    case "hex":
      return { type: "string", ...(pattern !== undefined && { pattern }) };
    case "decimal":
      return { type: "string", format: type, pattern: "^\\d{1,30}(\\.\\d{1,30})?$" };
    case "address":
      return { type: "string", format: type, pattern: "^0x[0-9a-fA-F]{40}$" };
    case "integer":
      return { type, minimum: 1, ...(max !== undefined && { maximum: max }) };
    case "id":
      return { type: "integer", format: "int64", minimum: 0 };
    case "ms":
      return { type: "integer", format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
    case "enum": {
      const numbers = values.map(Number);
      return numbers.every(Number.isInteger)
        ? { type: "integer", enum: numbers }
        : { type: "string", enum: values };
    }
  }
}

/**
 * The parameters of every signed request besides its own
 * (docs/reference/protocol.md#request-signatures).
 */
export const SIGNING: readonly ApiParameter[] = (
  [
    {
      name: "account",
      type: "address",
      required: true,
      description:
        "the account to act for: the signer's own, or one that has the signer as operator",
    },
    {
      name: "timestamp",
      type: "ms",
      required: true,
      description:
        "time of signing in milliseconds; outside the window the request is refused with 1011",
    },
    {
      name: "signature",
      type: "hex",
      required: true,
      pattern: "^(0[xX])?[0-9a-fA-F]{130}$",
      description: `EIP-191 signature over all other parameters, sorted by name and form-encoded; ${SPELLINGS}`,
    },
  ] satisfies readonly OperationParameter[]
).map(documented);
