import { basename, relative, sep } from "node:path";
import { shellWord } from "../../core/files/shell-word.js";
import { packageFile } from "../../core/package-files.js";

/** The facts on which the commands to type depend. */
export interface NextInput {
  /** The bot's file and its environment's, as the user would type them. */
  readonly file: string;
  readonly envFile: string;
  /** The variables that the bot needs. */
  readonly variables: readonly string[];
  /** The variable of the key, if it is not a keystore's. */
  readonly keyEnv: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the embedded exchange may be meant. */
  readonly isLocal: boolean;
  /** Path of the program, as it was started. */
  readonly script: string;
}

/** A command to type, and what it does. */
export interface NextCommand {
  readonly command: string;
  readonly does: string;
}

const MAKE_KEY = `require('node:crypto').randomBytes(32).toString('hex')`;

/** The commands that lead from the written files to a running bot, in their order. */
export function nextCommands(input: NextInput): readonly NextCommand[] {
  const { isLocal, keyEnv, variables, env } = input;
  const program = programName(input.script);
  const [file, envFile] = [shellWord(input.file), shellWord(input.envFile)];
  const missing = variables.filter((name) => (env[name] ?? "").trim() === "");
  const readable = /^\.{0,2}\//.test(envFile) ? envFile : `./${envFile}`;
  const environment: NextCommand[] =
    missing.length === 0
      ? []
      : [
          isLocal && keyEnv !== undefined && missing.join() === keyEnv
            ? {
                command: `(umask 077 && node -p "'${keyEnv}=0x' + ${MAKE_KEY}" > ${envFile})`,
                does: "makes a key for play money; a key of your own goes into the same file",
              }
            : {
                command: `cp ${envFile}.example ${envFile} && chmod 600 ${envFile}`,
                does: `then fill in ${missing.join(", ")}`,
              },
          {
            command: `set -a && . ${readable} && set +a`,
            does: "in each terminal: reads the environment",
          },
        ];
  return [
    ...environment,
    ...(isLocal
      ? [{ command: `${program} exchange`, does: "unless it runs: the embedded exchange" }]
      : []),
    {
      command: `${program} check ${file} --connect`,
      does: "checks the file, the exchange and the account",
    },
    {
      command: `${program} guard ${file}`,
      does: "in a terminal of its own: cancels the orders if the bot dies",
    },
    { command: `${program} run ${file}`, does: "runs the bot until Ctrl-C" },
  ];
}

/**
 * The program as the user can start it again. npx would not pass on a signal, so a program below
 * `node_modules` or in a checkout is started by node.
 */
function programName(script: string): string {
  const isInstalled = basename(script) === "marketwright" && !/node_modules/.test(script);
  if (isInstalled) return "marketwright";
  const bin = packageFile("bin/marketwright.js");
  const near = relative(process.cwd(), bin);
  return `node ${shellWord(near.startsWith(`..${sep}..`) ? bin : near)}`;
}
