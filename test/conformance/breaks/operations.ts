import type {
  Operation,
  OperationName,
  OperationParameter,
} from "../../../src/exchange/protocol/operations.js";

type Operations = Readonly<Record<OperationName, Operation>>;

/** The operations, of which one is changed. */
export function changed(
  operations: Operations,
  name: OperationName,
  change: Partial<Operation>,
): Operations {
  return { ...operations, [name]: { ...operations[name], ...change } };
}

/** The operations, of which one takes a parameter otherwise, or no more where nothing is left of it. */
export function reparametered(
  operations: Operations,
  name: OperationName,
  parameter: string,
  change: Partial<OperationParameter> | undefined,
): Operations {
  const parameters = operations[name].parameters.flatMap((known) =>
    known.name !== parameter ? [known] : change === undefined ? [] : [{ ...known, ...change }],
  );
  return changed(operations, name, { parameters });
}
