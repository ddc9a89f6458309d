import { describe, expect, it } from "vitest";
import { VirtualClock } from "#core/virtual-clock.js";
import { ScreenControls } from "#monitoring/screen-controls.js";

function controlled(markets: readonly string[] = ["btcusdc", "ethusdc"]) {
  const clock = new VirtualClock(0);
  const bot = { isStopping: false };
  const done: string[] = [];
  let changes = 0;
  const answer = (verb: string) => (marketId: string | undefined) => {
    done.push(`${verb} ${marketId ?? "all"}`);
    return verb === "resume"
      ? Promise.reject(new Error("the bot is stopping"))
      : Promise.resolve("Quotes are down.");
  };
  const controls = new ScreenControls({
    clock,
    markets,
    isStopping: () => bot.isStopping,
    isInterrupted: () => false,
    onChange: () => {
      changes += 1;
    },
    actions: {
      stop: () => void done.push("stop"),
      interrupt: () => void done.push("interrupt"),
      halt: answer("halt"),
      resume: answer("resume"),
    },
  });
  return {
    clock,
    bot,
    done,
    press: (...keys: readonly string[]) => {
      for (const key of keys) controls.press(key);
    },
    prompt: () => controls.view.prompt,
    view: () => controls.view,
    changes: () => changes,
  };
}

describe("the keys of the screen", () => {
  it("ask before they stop, halt or resume the bot: one key by accident does nothing", () => {
    const { press, done, prompt } = controlled();
    for (const key of ["q", "h", "r"]) {
      press(key);
      // The keys first: 40 columns show them.
      expect(prompt()?.slice(0, 38)).toMatch(/^y (yes|all, m btcusdc), n no: (stop|halt|resume)/);
      press("x");
      expect(prompt()).toBe("Nothing was done.");
    }
    expect(done).toEqual([]);
  });

  it("act on all markets with y, and on the chosen one with m", async () => {
    const { press, done, prompt, clock } = controlled();
    press("h");
    expect(prompt()).toContain("y all, m btcusdc, n no: halt?");
    press("y", "m", "h");
    expect(prompt()).toContain("m ethusdc, ");
    press("m");
    await clock.runFor(1);
    expect(done).toEqual(["halt all", "halt ethusdc"]);
    expect(prompt()).toBe("Quotes are down.");
    press("q", "y");
    expect(done.at(-1)).toBe("stop");
  });

  it("show why a command failed", async () => {
    const { press, prompt, clock, changes } = controlled(["btcusdc"]);
    press("r");
    expect(prompt()).toMatch(/^y yes, n no: resume\?/);
    press("m");
    expect(prompt()).toBe("Nothing was done.");
    press("r", "y");
    const before = changes();
    await clock.runFor(1);
    expect(prompt()).toBe("Failed: the bot is stopping");
    expect(changes()).toBeGreaterThan(before);
  });

  it("held down or pasted answer no question", () => {
    const { press, done } = controlled();
    press("h", "h", "h", "q", "q", "r", "r");
    press("hy", "qy", "y");
    press("h", "\u001b[A", "qy");
    expect(done).toEqual([]);
  });

  it("forget a question after ten seconds: a later y is not its answer", async () => {
    const { press, done, prompt, clock } = controlled();
    press("h");
    await clock.runFor(9_999);
    expect(prompt()).toContain("halt?");
    await clock.runFor(1);
    expect(prompt()).toBe("The question lapsed after 10 s: nothing was done.");
    press("y");
    expect(done).toEqual([]);
    expect(prompt()).toBeUndefined();
  });

  it("go to the next market and round, show the help, and leave it with any key", () => {
    const { press, view, done } = controlled();
    press("m");
    expect(view().focus).toBe(1);
    press("m");
    expect(view().focus).toBe(0);
    press("?");
    expect(view().isHelp).toBe(true);
    press("q");
    expect(view()).toMatchObject({ isHelp: false, prompt: undefined });
    expect(done).toEqual([]);
  });

  it("turn the pages of the help with space", () => {
    const { press, view } = controlled();
    press("?", " ", " ");
    expect(view()).toMatchObject({ isHelp: true, helpPage: 2 });
    press("x", "?");
    expect(view()).toMatchObject({ isHelp: true, helpPage: 0 });
  });

  it("ask nothing while the bot stops, and drop a question that is open", () => {
    const { press, view, done, bot } = controlled();
    press("h");
    bot.isStopping = true;
    press("y");
    for (const key of ["q", "h", "r", "m"]) {
      press(key);
      expect(view()).toMatchObject({ prompt: undefined, focus: 0 });
    }
    press("y", "?");
    expect(view().isHelp).toBe(true);
    expect(done).toEqual([]);
  });

  it("pass Ctrl-C on at once, whatever is asked, and do not suspend the bot", () => {
    const { press, done, prompt } = controlled();
    press("h", "\u0003");
    expect(done).toEqual(["interrupt"]);
    expect(prompt()).toBeUndefined();
    press("abc\u0003def");
    expect(done).toEqual(["interrupt", "interrupt"]);
    press("\u001a");
    expect(prompt()).toContain("Ctrl-Z does nothing");
  });
});
