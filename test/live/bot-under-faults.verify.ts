import { afterAll, describe, it } from "vitest";
import { MovingExchange, surviveFault } from "./survive-fault.js";

describe("a bot that is banned without Retry-After", () => {
  const moving = new MovingExchange();
  afterAll(() => moving.close());

  it("waits for the longest ban, then quotes again and has lost nothing", () =>
    surviveFault(moving, { fault: { kind: "storm-418", probability: 0.3 } }));
});
