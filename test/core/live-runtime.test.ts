import { afterEach, describe, expect, it, vi } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";

afterEach(() => {
  vi.useRealTimers();
});

describe("live runtime", () => {
  it("does not fire a timer of thirty days at once, as a bare Node timer would", () => {
    vi.useFakeTimers();
    const thirtyDaysMs = 30 * 86_400_000;
    let fired = 0;
    createLiveRuntime().clock.setTimer(thirtyDaysMs, () => {
      fired += 1;
    });
    vi.advanceTimersByTime(thirtyDaysMs - 10);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(20);
    expect(fired).toBe(1);
  });

  it("fires once and never synchronously; a cancelled timer does not fire, in whichever leg it is", () => {
    vi.useFakeTimers();
    const { clock } = createLiveRuntime();
    let fired = 0;
    const count = (): void => {
      fired += 1;
    };
    clock.setTimer(0, count);
    clock.setTimer(-5, count);
    expect(fired).toBe(0);
    vi.advanceTimersByTime(1);
    expect(fired).toBe(2);
    clock.setTimer(5, count).cancel();
    const long = clock.setTimer(40 * 86_400_000, count);
    vi.advanceTimersByTime(30 * 86_400_000);
    long.cancel();
    vi.advanceTimersByTime(30 * 86_400_000);
    expect(fired).toBe(2);
  });

  it("draws uniforms in [0, 1) and 64-bit words of which none repeats", () => {
    const { random } = createLiveRuntime();
    const words = new Set<bigint>();
    for (let draw = 0; draw < 5_000; draw += 1) {
      const uniform = random.uniform();
      expect(uniform >= 0 && uniform < 1).toBe(true);
      const word = random.uint64();
      expect(word >= 0n && word < 1n << 64n).toBe(true);
      words.add(word);
    }
    expect(words.size).toBe(5_000);
  });

  it("refuses a delay that is no duration instead of firing at once", () => {
    expect(() => createLiveRuntime().clock.setTimer(Number.NaN, () => undefined)).toThrow(
      "delayMs",
    );
  });
});
