import { afterAll, describe, it } from "vitest";
import { MovingExchange, surviveFault, type TriedFault } from "./survive-fault.js";

/** Each kind as it strikes here: often, and briefly, so that the bot has to act meanwhile. */
const TRIED: readonly TriedFault[] = [
  { fault: { kind: "request-lost", probability: 0.3 } },
  { fault: { kind: "request-delayed", probability: 0.4, delayMs: { min: 20, max: 2_000 } } },
  { fault: { kind: "request-duplicated", probability: 0.7, delayMs: { min: 1, max: 300 } } },
  { fault: { kind: "answer-lost", probability: 0.3 } },
  { fault: { kind: "answer-delayed", probability: 0.5, delayMs: { min: 20, max: 2_000 } } },
  { fault: { kind: "answers-swapped", probability: 0.7 } },
  { fault: { kind: "answer-garbled", probability: 0.5 } },
  { fault: { kind: "storm-429", probability: 0.3, retryAfterSeconds: 1 } },
  { fault: { kind: "storm-429", probability: 0.3 } },
  // Without Retry-After the bot waits for two minutes: bot-under-faults.verify.ts.
  { fault: { kind: "storm-418", probability: 0.3, retryAfterSeconds: 1 } },
  { fault: { kind: "storm-5xx", probability: 0.5, actedShare: 1 } },
  { fault: { kind: "storm-5xx", probability: 0.5, status: 502, actedShare: 0 } },
  { fault: { kind: "connection-lost", probability: 0.5, actedShare: 1 } },
  { fault: { kind: "connection-lost", probability: 0.5, actedShare: 0 } },
  { fault: { kind: "stream-dropped", probability: 0.05 } },
  { fault: { kind: "stream-closed", probability: 0.05 } },
  { fault: { kind: "stream-stalled", probability: 0.05, stallMs: 800 } },
  { fault: { kind: "frame-lost", probability: 0.3 } },
  { fault: { kind: "frames-swapped", probability: 0.3 } },
  { fault: { kind: "frame-repeated", probability: 0.5 } },
  { fault: { kind: "frame-garbled", probability: 0.2 } },
  {
    // A snapshot comes only with a new connection.
    fault: { kind: "snapshot-late" },
    strikes: 1,
    beside: [{ kind: "stream-closed", probability: 0.1 }],
  },
];

const nameOf = ({ fault }: TriedFault): string =>
  Object.entries(fault)
    .filter(([key]) => !["probability", "delayMs"].includes(key))
    .map(([key, value]) => (key === "kind" ? value : `${key} ${value}`))
    .join(", ");

describe("a bot on an exchange that fails: no order is lost or doubled, and no fill", () => {
  const moving = new MovingExchange();
  afterAll(() => moving.close());

  it.concurrent.each(TRIED.map((tried) => [nameOf(tried), tried] as const))("%s", (_name, tried) =>
    surviveFault(moving, tried),
  );
});
