import { describe, expect, it } from "vitest";
import { RetryingStore, type UnwrittenText } from "#bot/retrying-store.js";
import { MemoryStateStore } from "#bot/state-dir.js";
import { RunError } from "#core/errors.js";
import { VirtualClock } from "#core/virtual-clock.js";

/** A disk that refuses every text while it is full. */
class FailingStore extends MemoryStateStore {
  isFull = false;
  override writeBehind(name: string, text: string): void {
    this.#check();
    super.writeBehind(name, text);
  }
  override writeLater(name: string, text: string): void {
    this.#check();
    super.writeLater(name, text);
  }
  override write(name: string, text: string): void {
    this.#check();
    super.write(name, text);
  }
  #check(): void {
    if (this.isFull) throw new RunError("cannot write (EMFILE)");
  }
}

function setUp() {
  const clock = new VirtualClock(0);
  const disk = new FailingStore();
  const changes: [string, boolean][] = [];
  const givenUp: UnwrittenText[] = [];
  const store = new RetryingStore({
    store: disk,
    clock,
    givesUpAfterMs: 1_500,
    onChange: ({ name }, isWritten) => changes.push([name, isWritten]),
    onGivenUp: (text) => givenUp.push(text),
  });
  return { clock, disk, store, changes, givenUp };
}

describe("the state of a bot whose disk fails for a moment", () => {
  it("does not end the bot: the newest text is written with the next one that the disk accepts", async () => {
    const { clock, disk, store, changes, givenUp } = setUp();
    store.writeBehind("heartbeat.json", "1");
    store.writeLater("peak.json", "1");
    disk.isFull = true;
    store.writeLater("peak.json", "2");
    store.writeLater("peak.json", "3");
    store.writeBehind("heartbeat.json", "2");
    await clock.runFor(1_000);
    disk.isFull = false;
    store.writeBehind("heartbeat.json", "3");
    expect(disk.snapshot()).toEqual({ "heartbeat.json": "3", "peak.json": "3" });
    expect(changes).toEqual([
      ["peak.json", false],
      ["heartbeat.json", false],
      ["heartbeat.json", true],
      ["peak.json", true],
    ]);
    expect(givenUp).toEqual([]);
  });

  it("is given up once, after the time allowed", async () => {
    const { clock, disk, store, givenUp } = setUp();
    store.writeBehind("heartbeat.json", "1");
    disk.isFull = true;
    for (let count = 0; count < 6; count++) {
      store.writeBehind("heartbeat.json", `after ${count}`);
      await clock.runFor(500);
    }
    expect(givenUp).toMatchObject([{ name: "heartbeat.json", sinceMs: 0 }]);
  });

  it("throws at once for a text that was never written, and for records that must not be lost", () => {
    const { disk, store } = setUp();
    disk.isFull = true;
    expect(() => store.writeBehind("heartbeat.json", "1")).toThrow("EMFILE");
    disk.isFull = false;
    store.write("takeovers.json", "1");
    disk.isFull = true;
    expect(() => store.write("takeovers.json", "2")).toThrow("EMFILE");
  });
});
