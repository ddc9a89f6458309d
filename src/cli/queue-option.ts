import { readNamedFile } from "../bot/config/account-key.js";
import { maskVariableName, protectAddress } from "../core/crypto/secrets.js";
import { ConfigError } from "../core/errors.js";
import type { CliContext } from "./cli-context.js";

/** Options that name a command's queue: at most one of the three. */
export interface QueueOptions {
  readonly queue?: string;
  readonly queueEnv?: string;
  readonly queueFile?: string;
}

/**
 * The address of the queue on a command line; undefined if there is none.
 * @throws ConfigError for several addresses, for a password on the command line, and for an empty
 * variable or file.
 */
export function readQueueAddress(
  { queue, queueEnv, queueFile }: QueueOptions,
  { env }: CliContext,
): string | undefined {
  const [first, second] = Object.entries({
    "--queue": queue,
    "--queue-env": queueEnv,
    "--queue-file": queueFile,
  }).filter(([, given]) => given !== undefined);
  if (first !== undefined && second !== undefined)
    throw new ConfigError(`cannot be combined with ${first[0]}`, {
      field: second[0],
      expected: "one of --queue, --queue-env and --queue-file",
    });
  if (queue !== undefined) return withoutPassword(queue);
  if (queueEnv !== undefined) {
    const expected = `the environment variable ${maskVariableName(queueEnv)} to hold redis://HOST:PORT`;
    return secretAddress(env[queueEnv], {
      field: "--queue-env",
      value: maskVariableName(queueEnv),
      expected,
    });
  }
  if (queueFile === undefined) return undefined;
  const [line] = readNamedFile(queueFile, { field: "--queue-file", holdsSecret: true }).split(
    /\r?\n/,
  );
  return secretAddress(line, {
    field: "--queue-file",
    value: queueFile,
    expected: "redis://HOST:PORT in its first line",
  });
}

function withoutPassword(address: string): string {
  const rest = address.slice(address.indexOf("//") + 2);
  if (!rest.includes("@")) return address;
  throw new ConfigError(
    "holds a password, which every user of this machine can read in the list of processes",
    {
      field: "--queue",
      value: address,
      expected:
        "the address in an environment variable (--queue-env NAME) or in a file (--queue-file FILE)",
    },
  );
}

interface QueueSecret {
  readonly field: string;
  readonly value: string;
  readonly expected: string;
}

function secretAddress(held: string | undefined, place: QueueSecret): string {
  const address = held?.trim() ?? "";
  if (address === "") throw new ConfigError("names a place that is missing or empty", place);
  protectAddress(address);
  return address;
}
