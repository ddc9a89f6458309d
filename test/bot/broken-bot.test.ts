import { expect, it } from "vitest";
import { startVirtualRun } from "./recorded-run.js";

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
