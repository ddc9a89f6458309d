import type { OPERATIONS, Operation, OperationName } from "#exchange/operations.js";
import type { OperationParameter } from "#exchange/parameters.js";

type Operations = typeof OPERATIONS;

/** The operations, of which one takes other parameters. */
export function taking(
  operations: Operations,
  name: OperationName,
  parameters: readonly OperationParameter[],
): Operations {
  return { ...operations, [name]: { ...operations[name], parameters } };
}

/**
 * The operations, of which one takes a parameter otherwise, or no more where nothing is left of it.
 */
export function reparametered(
  operations: Operations,
  name: OperationName,
  parameter: string,
  change: Partial<OperationParameter> | undefined,
): Operations {
  const parameters = operations[name].parameters.flatMap((known) =>
    known.name !== parameter ? [known] : change === undefined ? [] : [{ ...known, ...change }],
  );
  return taking(operations, name, parameters);
}

/** An operation that a client asks for at another address: the exchange offers it where it was. */
export function readdressed<Asked extends Pick<Operation, "path">>(
  operation: Asked,
  path: string,
  wrong: string,
): Asked {
  return operation.path === path ? { ...operation, path: wrong } : operation;
}
