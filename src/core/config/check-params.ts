import type { ZodType } from "zod";
import { describeThrown } from "../describe-thrown.js";
import { ConfigError, MarketwrightError } from "../errors.js";
import { checkShape, type ShapeContext } from "./config-shape.js";

/**
 * Checks the parameters of code of the user's against the schema that it brings.
 * @throws ConfigError naming path, value and the expected form; or that the schema itself failed
 */
export function checkParams<Params>(
  schema: ZodType<Params>,
  params: unknown,
  place: ShapeContext,
): Params {
  // A schema may return the very object that it was given. The clone keeps the code from changing
  // the file's object, or another's parameters.
  const own = structuredClone(params ?? {});
  try {
    return checkShape(schema, own, place);
  } catch (error) {
    if (error instanceof MarketwrightError) throw error;
    // A check or a transform of the schema threw.
    throw new ConfigError(`the schema of the parameters failed: ${describeThrown(error)}`, {
      field: place.at?.join(".") ?? "params",
      expected: "checks that return what they find",
      cause: error,
    });
  }
}
