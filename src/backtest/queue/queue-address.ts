import { Redis } from "ioredis";
import { maskSecrets } from "../../core/crypto/secrets.js";
import { ConfigError, RunError } from "../../core/errors.js";

/** The queue that sweeps and workers share; jobs of one sweep have its fingerprint in their ids. */
export const QUEUE_NAME = "marketwright-sweep";

/** Where a Redis or Valkey listens; its password is in no message. */
export interface QueueAddress {
  readonly url: string;
  /** For messages: `queue.example:6379`. */
  readonly shown: string;
}

const FIRST_ANSWER_MS = 10_000;

/** @throws ConfigError for what is no address of a Redis */
export function parseQueueAddress(written: string): QueueAddress {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url !== undefined && /^rediss?:$/.test(url.protocol) && url.hostname !== "") {
    return { url: written, shown: `${url.hostname}:${url.port === "" ? "6379" : url.port}` };
  }
  throw new ConfigError("is no address of a queue", {
    field: "--queue",
    value: maskSecrets(written),
    expected: "redis://HOST:PORT or rediss://HOST:PORT of a Redis or Valkey",
  });
}

/** Finds out whether somebody answers there, at once. @throws RunError where nobody does */
export async function requireReachable({ url, shown }: QueueAddress): Promise<void> {
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
    throw new RunError(`cannot be used: ${text}`, {
      field: "--queue",
      value: shown,
      expected: "a Redis or Valkey that answers",
      cause,
    });
  } finally {
    client.disconnect();
  }
}

/** How the queue's own clients connect: they wait for a server that is away. */
export function toConnectionOptions({ url }: QueueAddress): {
  readonly url: string;
  readonly maxRetriesPerRequest: null;
} {
  return { url, maxRetriesPerRequest: null };
}

/** Tells once when a server went away, and once when it is back: who waits for it would else look dead. @returns ends it */
export function watchAvailability(address: QueueAddress, tell: (what: string) => void): () => void {
  const { shown } = address;
  const client = new Redis(address.url, { maxRetriesPerRequest: null });
  let isAway = false;
  // What is wrong is that it closes; the reason of each try to reach it again is not new.
  client.on("error", () => {});
  client.on("close", () => {
    if (!isAway) tell(`the queue at ${shown} went away: waiting for it`);
    isAway = true;
  });
  client.on("ready", () => {
    if (isAway) tell(`the queue at ${shown} is back`);
    isAway = false;
  });
  return () => {
    client.removeAllListeners("close");
    client.disconnect();
  };
}
