import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { describeThrown } from "../../core/describe-thrown.js";
import { RunError } from "../../core/errors.js";
import type { Uncaught } from "../../core/uncaught.js";
import { packageRoot } from "./strategy-bundle.js";
import {
  findStrategyBehind,
  findStrategyLocation,
  type LoadedStrategyFile,
  listLoadedStrategies,
  readStack,
} from "./strategy-stack.js";

const DID: Readonly<Record<Uncaught, string>> = {
  thrown: "threw outside its operator, in one of its timers or callbacks",
  rejected: "rejected a promise that it does not await",
};

/**
 * An uncaught failure of a strategy file, as the error that ends its command. Undefined if no file
 * was loaded, or if the error came from this package itself. An error without a place of a strategy
 * in it, such as that of a `fetch` without an await, may come from any that was loaded.
 */
export function toUncaughtStrategyError(thrown: unknown, how: Uncaught): RunError | undefined {
  const stack = readStack(thrown);
  const named = findStrategyBehind(thrown);
  const strategies = named !== undefined ? [named] : isOurs(stack) ? [] : listLoadedStrategies();
  if (strategies.length === 0) return undefined;
  const place = named === undefined ? undefined : findStrategyLocation(thrown, dirname(named.path));
  const who = subjectFor(strategies);
  return new RunError(
    `${who} ${DID[how]}: ${describeThrown(thrown)}${place === undefined ? "" : ` (${place})`}`,
    {
      field: [...new Set(strategies.flatMap(({ fields }) => [...fields]))].join(", "),
      value: [...new Set(strategies.map(({ path }) => path))].join(", "),
      expected: "every promise awaited or caught, and only timers of context.scheduler",
      cause: thrown,
    },
  );
}

/** The files in words: strategies, sources of reference prices, or both. */
function subjectFor(files: readonly LoadedStrategyFile[]): string {
  const areSources = files.map(({ fields }) =>
    [...fields].every((field) => field.startsWith("references.")),
  );
  const isOne = files.length === 1;
  if (areSources.every((isSource) => isSource)) return isOne ? "the source" : "one of the sources";
  if (areSources.some((isSource) => isSource)) return "one of the strategies and sources";
  return isOne ? "the strategy" : "one of the strategies";
}

/** True if a stack has a line of this package's own sources. */
function isOurs(stack: string): boolean {
  return stack.includes(pathToFileURL(packageRoot()).href);
}
