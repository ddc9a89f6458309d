import { OPERATIONS } from "../../exchange/protocol/operations.js";
import type { OperationParameter } from "../../exchange/protocol/parameters.js";
import { table } from "../process/output.js";

/** Renders the end of `marketwright call --help`: every endpoint with its parameters. */
export function endpointHelp(): string {
  const rows = table(
    Object.values(OPERATIONS).map(({ name, method, path, isPrivate, parameters, summary }) => [
      `  ${name}${isPrivate ? " *" : ""}`,
      `${method} ${path}`,
      [
        summary,
        ...(parameters.length === 0 ? [] : [`(${parameters.map(parameterText).join(" ")})`]),
      ].join(" "),
    ]),
  );
  return `\nEndpoints (a * is signed):\n${rows}`;
}

function parameterText({ name, required, type, values }: OperationParameter): string {
  const shown = type === "enum" ? `${name}=${(values ?? []).join("|")}` : `${name}=`;
  return required ? shown : `[${shown}]`;
}
