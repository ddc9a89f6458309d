import { maskSecrets } from "../../core/crypto/secrets.js";
import { ConfigError, RunError } from "../../core/errors.js";
import { loadOptional } from "../../core/optional-part.js";

/** The queue that sweeps and workers share. The ids of a sweep's jobs contain its fingerprint. */
export const QUEUE_NAME = "marketwright-sweep";

/** Address of a Redis or Valkey server. Its password is in no message. */
export interface QueueAddress {
  readonly url: string;
  /** For messages: `queue.example:6379`. */
  readonly shown: string;
}

const FIRST_ANSWER_MS = 10_000;

/** @throws ConfigError for a text that is not a Redis address */
export function parseQueueAddress(written: string): QueueAddress {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== "") {
    return { url: written, shown: `${url.hostname}:${url.port === "" ? "6379" : url.port}` };
  }
  throw new ConfigError("is not the address of a queue", {
    field: "--queue",
    value: maskSecrets(written),
    expected: "redis://HOST:PORT or rediss://HOST:PORT of a Redis or Valkey server",
  });
}

/**
 * Checks at once that a server answers at the address.
 * @throws RunError where none does
 */
export async function requireReachable({ url, shown }: QueueAddress): Promise<void> {
  const { Redis } = await loadOptional("ioredis");
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: FIRST_ANSWER_MS,
    maxRetriesPerRequest: 0,
  });
  let why = "";
  client.on("error", (error: Error) => {
    why = error.message;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (cause) {
    const text = why || (cause instanceof Error ? cause.message : String(cause));
    throw new RunError(`does not answer: ${text}`, {
      field: "--queue",
      value: shown,
      expected: "a Redis or Valkey server that is running",
      cause,
    });
  } finally {
    client.disconnect();
  }
}

/** Options of the queue's own clients: they wait for a server that is away. */
export function toConnectionOptions({ url }: QueueAddress): {
  readonly url: string;
  readonly maxRetriesPerRequest: null;
} {
  return { url, maxRetriesPerRequest: null };
}

/**
 * Reports once when a server goes away, and once when it is back; otherwise a waiting process would
 * look stuck.
 * @returns a function that ends the watch
 */
export async function watchAvailability(
  address: QueueAddress,
  tell: (what: string) => void,
): Promise<() => void> {
  const { Redis } = await loadOptional("ioredis");
  const { shown } = address;
  const client = new Redis(address.url, { maxRetriesPerRequest: null });
  let isAway = false;
  // The closing of the connection is reported. The errors of each retry add nothing.
  client.on("error", () => {});
  client.on("close", () => {
    if (!isAway) tell(`the connection to the queue at ${shown} was lost: waiting until it is back`);
    isAway = true;
  });
  client.on("ready", () => {
    if (isAway) tell(`the connection to the queue at ${shown} is back`);
    isAway = false;
  });
  return () => {
    client.removeAllListeners("close");
    client.disconnect();
  };
}
