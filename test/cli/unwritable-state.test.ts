import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalService } from "../notify/chat-services.js";
import { startCli } from "./captured-cli.js";
import { CommandedExchange, openOrders, untilQuoting } from "./commanded-exchange.js";

const exchange = new CommandedExchange();
const hook = new LocalService(() => ({ status: 200, text: "" }));
beforeAll(() => hook.open());
afterAll(() => hook.close());

it("a bot whose heartbeat cannot be written cancels its orders and stops before the guard takes it for dead, tells people, and exits with 1", async () => {
  const { file, env, stateDir } = exchange.bot({
    extra: `guard: { deadAfterMs: 1000, heartbeatMs: 100 }
notify: { channels: { pager: { webhook: { urlEnv: HOOK, secretEnv: HOOK_SECRET } } } }`,
  });
  const HOOK_SECRET = "hook-secret-of-the-tests-0001";
  const sender = startCli(["notify", file], { ...env, HOOK: `${hook.url}/in`, HOOK_SECRET });
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
  sender.interrupt();
  expect(await sender.done).toMatchObject({ code: 0 });
  const events = hook.posted.flatMap(({ body }) => body.events as Record<string, unknown>[]);
  expect(events.filter(({ kind }) => kind === "state-unwritten")).toEqual([
    expect.objectContaining({
      severity: "critical",
      title: "the state file heartbeat.json cannot be written",
      text: expect.stringContaining("it is tried again"),
    }),
  ]);
});
