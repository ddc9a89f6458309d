import { describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { withRuntime } from "#exchange/runtime-option.js";

interface Options {
  readonly runtime: ReturnType<typeof createLiveRuntime>;
  readonly timeoutMs?: number;
}

describe("options that name the runtime by its former option, seam", () => {
  const first = createLiveRuntime();
  const second = createLiveRuntime();

  it("use it, and keep the other options", () => {
    expect(withRuntime<Options>({ seam: first, timeoutMs: 5 })).toEqual({
      runtime: first,
      timeoutMs: 5,
    });
  });

  it("use it beside a runtime that is undefined, as programs do that pass options through", () => {
    const both = { runtime: undefined, seam: first } as unknown as Options;
    expect(withRuntime<Options>(both).runtime).toBe(first);
  });

  it("prefer the runtime where both are given, or seam is undefined", () => {
    const both = { runtime: second, seam: first } as Options;
    expect(withRuntime<Options>(both).runtime).toBe(second);
    const without = { runtime: second, seam: undefined } as Options;
    expect(withRuntime<Options>(without).runtime).toBe(second);
  });
});
