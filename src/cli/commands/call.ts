import { createAccountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotConfig } from "../../bot/config/config.js";
import { findNearestName } from "../../core/config/find-nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import {
  OPERATIONS,
  type Operation,
  type OperationName,
} from "../../exchange/protocol/operations.js";
import { DEFAULT_KEY_ENV, DEFAULT_REST } from "../call-defaults.js";
import type { CliContext } from "../cli-context.js";
import { openExchange, withExchange } from "../exchange-access.js";
import { jsonText } from "../process/output.js";

export interface CallCommandOptions {
  readonly bot?: string;
  readonly rest?: string;
  readonly keyEnv?: string;
}

/** Makes one REST call, and prints its response. */
export async function callCommand(
  context: CliContext,
  endpoint: string,
  parameters: readonly string[],
  options: CallCommandOptions,
): Promise<void> {
  const { operation, rest } = operationOf(endpoint, parameters);
  const params = parseParams(rest);
  const config =
    options.bot === undefined
      ? undefined
      : loadBotConfig(options.bot, context.env, { key: "unused" });
  const address = options.rest ?? config?.exchange.rest ?? DEFAULT_REST;
  const account = config?.account ?? { keyEnv: DEFAULT_KEY_ENV };
  const source = options.keyEnv === undefined ? account : { keyEnv: options.keyEnv };
  const signer = operation.isPrivate
    ? createAccountSigner(account, readAccountKey(source, context.env))
    : undefined;
  const opened = openExchange(context, {
    rest: address,
    field: options.rest === undefined && config !== undefined ? undefined : "--rest",
    stream: address.replace(/^http/, "ws"),
    signer,
  });
  await withExchange(opened, async (access) => {
    if (operation.isPrivate) await access.syncClock();
    context.stdout.write(jsonText(await access.client.call(operation.name, params), 2));
  });
}

/** Finds the operation of a name or path; `GET /v1/time` may be one argument or two. */
function operationOf(
  endpoint: string,
  parameters: readonly string[],
): { operation: Operation; rest: readonly string[] } {
  const split = /^(GET|POST|DELETE)$/i.test(endpoint) && parameters[0]?.startsWith("/") === true;
  const wanted = split ? `${endpoint} ${parameters[0]}` : endpoint;
  const rest = split ? parameters.slice(1) : parameters;
  const all = Object.values(OPERATIONS);
  const byName = all.find(({ name }) => name === wanted);
  if (byName !== undefined) return { operation: byName, rest };
  const match = /^(?:(GET|POST|DELETE)\s+)?(\/\S+)$/i.exec(wanted);
  const byPath =
    match === null
      ? []
      : all.filter(
          ({ method, path }) =>
            path === match[2] && (match[1] === undefined || method === match[1].toUpperCase()),
        );
  const [only, second] = byPath;
  if (only !== undefined && second === undefined) return { operation: only, rest };
  if (only !== undefined) {
    throw new ConfigError("several endpoints have this path", {
      field: "endpoint",
      value: wanted,
      expected: byPath.map(({ name, method, path }) => `${name} (${method} ${path})`).join(" or "),
    });
  }
  const near = findNearestName(wanted, Object.keys(OPERATIONS) as OperationName[]);
  throw new ConfigError(`no such endpoint${near === undefined ? "" : `, did you mean ${near}?`}`, {
    field: "endpoint",
    value: wanted,
    expected: `one of ${Object.keys(OPERATIONS).join(", ")}`,
  });
}

function parseParams(parameters: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const text of parameters) {
    const at = text.indexOf("=");
    if (at <= 0)
      throw new ConfigError("must be written as key=value", {
        field: "parameters",
        value: text,
        expected: "key=value",
      });
    const key = text.slice(0, at);
    if (Object.hasOwn(params, key))
      throw new ConfigError("is given twice", {
        field: key,
        value: text.slice(at + 1),
        expected: "each parameter once",
      });
    params[key] = text.slice(at + 1);
  }
  return params;
}
