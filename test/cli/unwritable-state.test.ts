import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";

const exchange = new CommandedExchange();

it("a bot whose heartbeat cannot be written cancels its orders and stops before the guard takes it for dead, and exits with 1", async () => {
  const { file, env, stateDir } = exchange.bot({
    extra: "guard: { deadAfterMs: 1000, heartbeatMs: 100 }",
  });
  const run = startCli(["run", file, "--json"], env);
  await untilQuoting(file, env);
  // No file can be created with this name any more, by any user.
  mkdirSync(join(stateDir(), "heartbeat.json.new", "in-the-way"), { recursive: true });
  const { code, out, err } = await run.done;
  expect(code).toBe(1);
  expect(err).toContain("the bot had to stop: heartbeat.json cannot be written");
  expect(JSON.parse(out)).toMatchObject({
    openOrdersLeft: 0,
    ordersLeft: [],
    fault: expect.stringContaining("heartbeat.json"),
  });
  expect(await openOrders(file, env)).toEqual([]);
});
