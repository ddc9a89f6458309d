import { relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { KeySource } from "../../bot/config/account-key.js";
import { packageFile } from "../../core/package-files.js";
import type { ChosenRpc } from "./choose-exchange.js";
import { type ConfigLine, renderComment, renderConfigLines, yamlText } from "./config-line.js";

/** The parts of a bot's file that are chosen rather than proposed. */
export interface BotHeader {
  /** Absolute folder of the file. */
  readonly folder: string;
  /** Name of the file. */
  readonly name: string;
  /** The choices, in a sentence each. */
  readonly notes: readonly string[];
  readonly rest: string;
  readonly stream: string;
  /** Its paths are relative to the folder. */
  readonly key: KeySource;
  /** Absent if the bot does not use the chain. */
  readonly rpc: ChosenRpc | undefined;
}

/** Renders a bot's YAML. @param proposed the sections that depend on the exchange */
export function renderBot(header: BotHeader, proposed: readonly ConfigLine[]): string {
  const { folder, name, notes, rest, stream } = header;
  const sections: readonly ConfigLine[] = [
    {
      key: "exchange",
      value: [
        { key: "rest", value: yamlText(rest) },
        { key: "stream", value: yamlText(stream) },
      ],
    },
    accountLine(header.key),
    ...proposed,
    ...chainLines(header.rpc),
  ];
  return [
    `# yaml-language-server: $schema=${schemaAddress(folder)}\n`,
    renderComment(
      `Written by marketwright init. Change what you like, then run: marketwright check ${name}`,
    ),
    ...notes.map((note) => renderComment(note)),
    ...sections.map((section) => `\n${renderConfigLines([section])}`),
    "\n# A page in the browser for this bot and others (docs/reference/cockpit.md):\n# cockpit: { port: 8630, control: true }\n",
    "\n# For Prometheus and health checks (docs/guides/set-alerts.md):\n# metrics: { port: 9464 }\n",
  ].join("");
}

function accountLine({ keyEnv, keystore }: KeySource): ConfigLine {
  if (keystore === undefined)
    return {
      key: "account",
      value: `{ keyEnv: ${keyEnv} }`,
      reason: "the variable that holds the private key; never write the key itself here",
    };
  const { file, passwordEnv, passwordFile } = keystore;
  return {
    key: "account",
    value: [
      {
        key: "keystore",
        value: [
          { key: "file", value: yamlText(file), reason: "encrypted: marketwright key --help" },
          passwordFile === undefined
            ? {
                key: "passwordEnv",
                value: passwordEnv ?? "",
                reason: "the variable that holds its password",
              }
            : {
                key: "passwordFile",
                value: yamlText(passwordFile),
                reason: "its first line is the password",
              },
        ],
      },
    ],
  };
}

function chainLines(rpc: ChosenRpc | undefined): readonly ConfigLine[] {
  if (rpc === undefined) return [];
  return [
    {
      key: "chain",
      value: [
        "env" in rpc
          ? { key: "rpcEnv", value: `[${rpc.env}]`, reason: "the variable that holds an address" }
          : {
              key: "rpc",
              value: `[${JSON.stringify(rpc.address)}]`,
              reason: "a second one and quorum: 2 protect against a node that lies",
            },
      ],
    },
  ];
}

/**
 * Address of the package's schema for an editor: relative where the package is below the file's
 * folder or beside it, as in `node_modules` and in this project; else a URL.
 */
function schemaAddress(folder: string): string {
  const schema = packageFile("config/schema.json");
  const path = relative(folder, schema).split(sep).join("/");
  // The editor's pattern ends at a space.
  if (/^(\.\.\/)?[^.\s][^\s]*$/.test(path)) return path.startsWith("../") ? path : `./${path}`;
  return pathToFileURL(schema).href;
}

/** Renders the example of a bot's environment: names of variables, and never a value. */
export function renderEnvExample({ name, key, rpc }: BotHeader, envName: string): string {
  const lines = [
    renderComment(`The variables that ${name} reads. Copy this file, fill the copy in, and keep`),
    renderComment("the copy out of version control:"),
    `#   cp ${envName}.example ${envName} && chmod 600 ${envName}\n`,
    `#   set -a && . ./${envName} && set +a\n`,
  ];
  const add = (comment: string, variable: string): void => {
    lines.push("\n", renderComment(comment), `${variable}=\n`);
  };
  if (key.keyEnv !== undefined)
    add("The account's private key: 0x and 64 hexadecimal digits.", key.keyEnv);
  if (key.keystore?.passwordEnv !== undefined)
    add("The password of the account's keystore.", key.keystore.passwordEnv);
  if (rpc !== undefined && "env" in rpc)
    add("A JSON-RPC address of the chain, with the provider's key.", rpc.env);
  return lines.join("");
}

/** The variables that a bot's environment needs. */
export function variableNames({ key, rpc }: Pick<BotHeader, "key" | "rpc">): readonly string[] {
  return [
    key.keyEnv,
    key.keystore?.passwordEnv,
    rpc !== undefined && "env" in rpc ? rpc.env : undefined,
  ].filter((name) => name !== undefined);
}
