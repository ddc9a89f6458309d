import type { Command } from "commander";
import { accountSigner, readAccountKey } from "../../bot/config/account-key.js";
import { loadBotConfig } from "../../bot/config/config.js";
import { nearestName } from "../../core/config/nearest-name.js";
import { ConfigError } from "../../core/errors.js";
import {
  OPERATIONS,
  type Operation,
  type OperationName,
} from "../../exchange/protocol/operations.js";
import type { OperationParameter } from "../../exchange/protocol/parameters.js";
import type { CliContext } from "../cli-context.js";
import { openExchange, withExchange } from "../exchange-access.js";
import { jsonText, table } from "../process/output.js";

const DEFAULT_REST = "http://127.0.0.1:8620/v1";
const DEFAULT_KEY_ENV = "MARKETWRIGHT_KEY";

interface CallOptions {
  readonly bot?: string;
  readonly rest?: string;
  readonly keyEnv?: string;
}

/** `marketwright call ENDPOINT [key=value ...]` */
export function addCall(program: Command, context: CliContext): void {
  program
    .command("call")
    .description("one REST call, signed where the endpoint is private; JSON on stdout")
    .argument(
      "<endpoint>",
      "an operation's name, such as orderbook, or its path, such as /v1/orderbook or DELETE /v1/order",
    )
    .argument("[parameters...]", "key=value")
    .option("--bot <file>", "take the exchange's address and the account from a bot's file")
    .option("--rest <address>", `the exchange's REST address (default: ${DEFAULT_REST})`)
    .option(
      "--key-env <name>",
      `environment variable that holds the private key (default: ${DEFAULT_KEY_ENV})`,
    )
    .option("--json", "JSON on stdout, as always; accepted so that every command takes it")
    .addHelpText("after", () => `\nEndpoints (a * is signed):\n${endpointTable()}`)
    .action(async (endpoint: string, parameters: readonly string[], options: CallOptions) => {
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
        ? accountSigner(account, readAccountKey(source, context.env))
        : undefined;
      const opened = openExchange(context, {
        rest: address,
        stream: address.replace(/^http/, "ws"),
        signer,
      });
      await withExchange(opened, async (access) => {
        if (operation.isPrivate) await access.syncClock();
        context.stdout.write(jsonText(await access.client.call(operation.name, params), 2));
      });
    });
}

/** The operation of a name or path; `GET /v1/time` may come as one argument or as two. */
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
  const near = nearestName(wanted, Object.keys(OPERATIONS) as OperationName[]);
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
      throw new ConfigError("is no parameter", {
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

function endpointTable(): string {
  return table(
    Object.values(OPERATIONS).map(({ name, method, path, isPrivate, parameters, summary }) => [
      `  ${name}${isPrivate ? " *" : ""}`,
      `${method} ${path}`,
      [
        summary,
        ...(parameters.length === 0 ? [] : [`(${parameters.map(parameterText).join(" ")})`]),
      ].join(" "),
    ]),
  );
}

function parameterText({ name, required, type, values }: OperationParameter): string {
  const shown = type === "enum" ? `${name}=${(values ?? []).join("|")}` : `${name}=`;
  return required ? shown : `[${shown}]`;
}
