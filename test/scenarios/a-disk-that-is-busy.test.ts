import { describe, expect, it } from "vitest";
import { MemoryStateStore } from "#bot/state-dir.js";
import { Stage } from "./stage.js";

/** A state that knows which of its texts the disk was waited for. */
class WaitingStore extends MemoryStateStore {
  readonly waited = new Set<string>();
  override write(name: string, text: string): void {
    this.waited.add(name);
    super.write(name, text);
  }
}

describe("a bot beside a disk that is busy", () => {
  it("waits for it with neither its heartbeat, what it has spent nor the peak of its net value: it stood still for seconds, and its guard took it for dead", async () => {
    const stage = new Stage();
    const store = new WaitingStore();
    stage.store = store;
    await stage.botStarts();
    store.waited.clear();
    await stage.passes(15_000);
    stage.exchange.deposit(stage.address, "1000");
    await stage.passes(15_000);
    expect(store.read("peak-equity.json"), "which has moved").toContain('"peak":"101000000000"');
    expect([...store.waited]).toEqual([]);
    expect(JSON.parse(store.read("heartbeat.json") ?? "").atMs).toBeGreaterThan(
      stage.clock.nowMs() - 1_000,
    );
    expect(store.read("budget.json")).toContain("ORDER");
  });
});
