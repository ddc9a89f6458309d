import { expect, it } from "vitest";
import { ConfigFile } from "#bot/config-file.js";
import { controlHandler } from "#cli/control-handler.js";
import { MachineClock } from "#simulation/machine-clock.js";
import { startVirtualRun, type VirtualRun } from "./recorded-run.js";

const openOrders = ({ exchange, running }: VirtualRun) =>
  exchange.openOrders(running.account).filter(({ openLots }) => openLots > 0);

/** Fails a bot that has open orders: expects that all are cancelled and the cause is reported. */
async function breaks(run: VirtualRun): Promise<void> {
  const { clock, running } = run;
  expect(openOrders(run).length).toBeGreaterThan(0);
  const ended = running.stopped.catch(String);
  running.fail(new Error("a strategy's own error"));
  await clock.runFor(10_000);
  expect(openOrders(run), "nobody looks after them any more").toEqual([]);
  expect(await ended).toContain("a strategy's own error");
}

it("a bot that fails refuses a halt instead of confirming it: the operator learns that nothing was done", async () => {
  const { clock, running } = await startVirtualRun({});
  await clock.runFor(5_000);
  const tell = controlHandler(running, new ConfigFile(running.bot.context.config, {}));
  expect(await tell({ command: "status" })).toMatchObject({ phase: "running" });
  expect(running.hasFailed()).toBe(false);
  running.fail(new Error("the disk is full"));
  expect(running.hasFailed()).toBe(true);
  await expect(tell({ command: "halt", reason: "news" })).rejects.toThrow(
    "the command was not executed",
  );
  await clock.runFor(8_000);
  await expect(running.stopped).rejects.toThrow("the disk is full");
});

it("a bot that fails days after its machine's clock was corrected signs its cancels with the exchange's time, so that they are accepted", async () => {
  let machine: MachineClock | undefined;
  const run = await startVirtualRun({
    machineOf: (world) => {
      machine = new MachineClock(world);
      machine.skewMs = -20_000;
      return machine;
    },
  });
  if (machine !== undefined) machine.skewMs = 0;
  await run.clock.runFor(5_000);
  await breaks(run);
});

it("a bot that fails after its machine was suspended reads the exchange's time again, since cancels with the old time are refused", async () => {
  const run = await startVirtualRun({});
  await run.clock.runFor(5_000);
  // A suspended machine after its sleep: every wall clock has advanced, its monotonic one has not.
  run.clock.stepWall(60_000);
  await breaks(run);
});

it("a bot that fails, even by a strategy's own timer or promise, leaves no open order and reports the cause", async () => {
  const run = await startVirtualRun({});
  const { clock, running } = run;
  await clock.runFor(5_000);
  expect(openOrders(run).length).toBeGreaterThan(0);
  const ended = running.stopped.then(
    () => "stopped",
    (error: unknown) => String(error),
  );
  running.fail(new Error("a timer of the strategy's own"));
  // Longer than its signed requests can still be accepted.
  await clock.runFor(8_000);
  expect(await ended).toContain("a timer of the strategy's own");
  expect(openOrders(run)).toEqual([]);
});
