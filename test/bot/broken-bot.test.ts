import { expect, it } from "vitest";
import { controlHandler } from "../../src/cli/control-handler.js";
import { startVirtualRun } from "./recorded-run.js";

it("a bot that breaks takes no halt for given: who commands it hears that nothing was done", async () => {
  const { clock, running } = await startVirtualRun({});
  await clock.runFor(5_000);
  const tell = controlHandler(running);
  expect(await tell({ command: "status" })).toMatchObject({ phase: "running" });
  expect(running.isBroken()).toBe(false);
  running.fail(new Error("the disk is full"));
  expect(running.isBroken()).toBe(true);
  await expect(tell({ command: "halt", reason: "news" })).rejects.toThrow("nothing was done");
  await clock.runFor(8_000);
  await expect(running.stopped).rejects.toThrow("the disk is full");
});

it("a bot that breaks, by a strategy's own timer or promise too, leaves no order behind and says why it ended", async () => {
  const { clock, exchange, running } = await startVirtualRun({});
  await clock.runFor(5_000);
  const open = () => exchange.openOrders(running.account).filter(({ openLots }) => openLots > 0);
  expect(open().length).toBeGreaterThan(0);
  const ended = running.stopped.then(
    () => "stopped",
    (error: unknown) => String(error),
  );
  running.fail(new Error("a timer of the strategy's own"));
  // Longer than what it had signed may still arrive.
  await clock.runFor(8_000);
  expect(await ended).toContain("a timer of the strategy's own");
  expect(open()).toEqual([]);
});
