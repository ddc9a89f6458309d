import { availableParallelism } from "node:os";
import { basename, dirname, resolve } from "node:path";
import { Decimal } from "decimal.js";
import { requireKind } from "../../core/config/config-kind.js";
import { checkShape } from "../../core/config/config-shape.js";
import { loadYamlFile } from "../../core/config/config-yaml.js";
import { ConfigError } from "../../core/errors.js";
import { type BacktestConfig, loadBacktestConfig } from "../config/backtest-config.js";
import { backtestSchema } from "../config/backtest-schema.js";
import { generatePoints, type Method, type Point } from "./generate-points.js";
import type { Parameter, ParameterValue } from "./parameter.js";
import { FIGURES, type Objective } from "./results/figures.js";
import { type SweepFile, sweepSchema } from "./sweep-schema.js";
import type { WalkForward } from "./windows.js";

/** One sweep, as its YAML describes it. */
export interface SweepConfig {
  /** Absolute path of the YAML. */
  readonly path: string;
  readonly name: string;
  /** The backtest's and the bot's file, with nothing varied. */
  readonly backtest: BacktestConfig;
  readonly parameters: readonly Parameter[];
  readonly method: Method;
  readonly objective: Objective;
  readonly walkForward: WalkForward | undefined;
  readonly workers: number;
  /** In their order. */
  readonly points: readonly Point[];
  /** The backtest of each point, in the same order, all checked. */
  readonly configs: readonly BacktestConfig[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Keys that a sweep may not vary: windows define its history, and names are for readers. */
const FIXED = new Set(["history", "bot", "name"]);
/** Keys in both files: for the account, a backtest knows the credit alone. */
const BACKTEST_KEYS = new Set(Object.keys(backtestSchema.shape));

/**
 * Reads and checks the YAML of a sweep, of its backtest and of the bot, and both of these with
 * every point's values.
 * @throws ConfigError with one message that names the path, the value and what would be right
 */
export function loadSweepConfig(path: string, env: Env): SweepConfig {
  const absolute = resolve(path);
  const yaml = loadYamlFile(absolute);
  requireKind("sweep", absolute, yaml);
  const file = checkShape(sweepSchema, yaml.value, { locate: yaml.locate });
  const backtestPath = resolve(dirname(absolute), file.backtest);
  const backtest = loadBacktestConfig(backtestPath, env);
  const parameters = Object.entries(file.parameters).map(([at, parameter]) =>
    parameterOf(at, parameter, backtest),
  );
  const method = methodOf(file);
  const points = generatePoints(parameters, method);
  const { walkForward: walk, objective } = file;
  return {
    path: absolute,
    name: file.name ?? basename(absolute).replace(/\.ya?ml$/, ""),
    backtest,
    parameters,
    method,
    objective: { figure: objective, goal: file.goal ?? FIGURES[objective].goal },
    walkForward: walk === undefined ? undefined : { ...walk, stepMs: walk.stepMs ?? walk.testMs },
    workers: file.workers ?? availableParallelism(),
    points,
    configs: points.map((point) => configOf(backtestPath, env, point)),
  };
}

function parameterOf(
  path: string,
  parameter: SweepFile["parameters"][string],
  { history }: BacktestConfig,
): Parameter {
  const [first = "", second = ""] = path.split(".");
  const field = `parameters.${path}`;
  if (FIXED.has(first))
    throw new ConfigError("cannot be varied by a sweep", {
      field,
      value: path,
      expected: "a path into the models, the rules or the bot",
    });
  const replayed = Object.keys(history.markets);
  if (first === "markets" && !replayed.includes(second))
    throw new ConfigError("is not among the replayed markets", {
      field,
      value: second,
      expected: `one of ${replayed.join(", ")}`,
    });
  return "values" in parameter
    ? { kind: "list", path, values: parameter.values }
    : { kind: "range", path, ...parameter };
}

function methodOf({ method, count = 0, seed }: SweepFile): Method {
  switch (method) {
    case "grid":
      return { kind: "grid" };
    case "random":
      return { kind: "random", count, seed: seed ?? 1 };
    case "sobol":
      return { kind: "sobol", count, seed };
  }
}

/**
 * The backtest with a point's values in it.
 * @throws ConfigError naming the point and the invalid values
 */
function configOf(path: string, env: Env, { index, values }: Point): BacktestConfig {
  const among = (isWanted: (first: string) => boolean) => {
    const wanted = Object.entries(values).filter(([at]) => isWanted(at.split(".")[0] as string));
    return (written: unknown): unknown =>
      wanted.reduce((held, [at, value]) => withValue(held, at, value), written);
  };
  try {
    return loadBacktestConfig(path, env, {
      backtest: among((first) => BACKTEST_KEYS.has(first)),
      bot: among((first) => !BACKTEST_KEYS.has(first)),
    });
  } catch (cause) {
    throw cause instanceof ConfigError ? pointError(cause, { index, values }) : cause;
  }
}

/**
 * Returns a file's values with one of them set; missing mappings are made.
 * @param path keys, dots between.
 * @throws ConfigError where the path passes through a value that is not a mapping
 */
function withValue(written: unknown, path: string, value: ParameterValue): unknown {
  const keys = path.split(".");
  const set = typeof value === "number" && isQuantity(keys) ? new Decimal(value).toFixed() : value;
  return setAt(written, keys, 0, set);
}

/**
 * Quantities of a file are read as the digits that were written. The parameters of a strategy are
 * floats.
 */
function isQuantity(keys: readonly string[]): boolean {
  return !keys.includes("params") && /(Base|Quote|FeeRate|Gwei)$/.test(keys.at(-1) ?? "");
}

function setAt(held: unknown, keys: readonly string[], at: number, value: ParameterValue): unknown {
  if (at === keys.length) return value;
  const key = keys[at] as string;
  if (held !== undefined && held !== null && (typeof held !== "object" || Array.isArray(held))) {
    throw new ConfigError("passes through a value that is not a mapping", {
      field: `parameters.${keys.join(".")}`,
      value: held,
      expected: `a path whose ${keys.slice(0, at).join(".")} is a mapping`,
    });
  }
  const mapping = (held ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...mapping,
    [key]: setAt(Object.hasOwn(mapping, key) ? mapping[key] : undefined, keys, at + 1, value),
  };
}

/** An error that names the invalid values of a point. */
export function pointError(cause: ConfigError, { index, values }: Point): ConfigError {
  const at = Object.keys(values).find(
    (swept) => cause.field === swept || cause.field?.startsWith(`${swept}.`),
  );
  return new ConfigError(
    `cannot be set: ${cause.message}; at point ${index}: ${pointText(values)}`,
    {
      field: at === undefined ? "parameters" : `parameters.${at}`,
      cause,
    },
  );
}

/** A point in a line. */
export function pointText(values: Readonly<Record<string, ParameterValue>>): string {
  return Object.entries(values)
    .map(([path, value]) => `${path} ${value}`)
    .join(", ");
}
