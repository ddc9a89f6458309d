import type { ShapeContext } from "../../core/config/config-shape.js";
import { createConfigError } from "../../core/config/create-config-error.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import type { ExchangeConfig } from "../config/config.js";
import type { FaultNames } from "./fault-names.js";
import type { Fault } from "./fault-shape.js";

/** The context of a fault's keys: the place in its file, or nothing for a request. */
type FaultContext = Pick<ShapeContext, "at" | "locate">;

/**
 * Checks every fault of a file.
 * @throws ConfigError as {@link checkFaultNames}
 */
export function checkFaultList(
  faults: ExchangeConfig["faults"],
  spoken: readonly FaultNames[],
  { locate }: Pick<ShapeContext, "locate"> = {},
): void {
  for (const [place, fault] of (faults?.list ?? []).entries())
    checkFaultNames(fault, spoken, { at: ["faults", "list", place], locate });
}

/**
 * Checks that a fault can strike: that an interface of the exchange has its endpoints and streams.
 * @param spoken the interfaces that the exchange serves.
 * @throws ConfigError naming the key, and the nearest known name
 */
export function checkFaultNames(
  fault: Fault,
  spoken: readonly FaultNames[],
  context: FaultContext = {},
): void {
  const struck = spoken.filter((each) => [undefined, each.interface].includes(fault.interface));
  const [first] = struck;
  const interfaces = spoken.map((each) => each.interface).join(" or ");
  if (first === undefined) {
    throw problem("is not served by this exchange", context, {
      path: ["interface"],
      value: fault.interface,
      expected: interfaces,
    });
  }
  if (fault.kind === "snapshot-late" && !struck.some(({ hasSnapshots }) => hasSnapshots)) {
    throw problem(`strikes nothing on ${first.interface}, whose snapshots are answers`, context, {
      path: ["kind"],
      value: fault.kind,
      expected: "answer-delayed, with the endpoint of the book",
    });
  }
  const endpoints = struck.flatMap((each) => each.endpoints);
  const streams = struck.flatMap((each) => each.streams);
  const written = [
    ...named("endpoints", "endpoints" in fault ? fault.endpoints : undefined),
    ...named("streams", "streams" in fault ? fault.streams : undefined),
  ];
  const on = struck.map((each) => each.interface).join(" or ");
  for (const { key, place, name } of written) {
    const known = key === "streams" ? streams : namesLike(name, endpoints);
    if (known.includes(name)) continue;
    const near = findNearestName(name, known);
    const summary = `is not ${key === "streams" ? "a stream" : "an endpoint"} of ${on}`;
    const examples = struck.map((each) =>
      key === "streams"
        ? each.streams[1]
        : each.endpoints.find((one) => /^POST .*order$/.test(one)),
    );
    throw problem(summary, context, {
      path: [key, place],
      value: name,
      expected: `${key === "streams" ? "account, or a name" : "a path"} such as ${examples.join(" or ")}`,
      near,
    });
  }
}

function named(key: "endpoints" | "streams", names: readonly string[] = []) {
  return names.map((name, place) => ({ key, place, name }));
}

/** Known endpoints with their methods, or without, as the name is written. */
function namesLike(name: string, endpoints: readonly string[]): readonly string[] {
  return name.includes(" ") ? endpoints : endpoints.map((each) => each.replace(/^\S+ /, ""));
}

interface Problem {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly expected: string;
  readonly near?: string | undefined;
}

function problem(
  summary: string,
  { at = [], locate }: FaultContext,
  { path, value, expected, near }: Problem,
) {
  const whole = [...at, ...path];
  const where = locate === undefined ? "" : ` in ${locate(whole)}`;
  const hint = near === undefined ? "" : `, did you mean ${near}?`;
  return createConfigError(`${summary}${where}${hint}`, {
    field: whole.join("."),
    value,
    expected,
  });
}
