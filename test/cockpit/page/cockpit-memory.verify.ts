import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtCommand } from "../../support/built-command.js";
import { hasBrowser, openBrowser, openPage, skipNote } from "../../support/test-browser.js";
import { SampleBot } from "./sample-bot.js";
import { ScriptedCockpit } from "./scripted-cockpit.js";

const FRAMES_PER_MINUTE = 120;
/** Frames until the history is full: half an hour, and what is thinned at once. */
const FULL = 34 * FRAMES_PER_MINUTE;
const TEN_MINUTES = 10 * FRAMES_PER_MINUTE;
/** Frames that may be on their way to the page. */
const AHEAD = 20;
const MOST_GROWTH_BYTES = 1_500_000;
const MOST_GROWTH_NODES = 200;

describe.skipIf(!hasBrowser)(`a cockpit that is open all day${skipNote}`, () => {
  let browser: Browser;
  let cockpit: ScriptedCockpit;

  beforeAll(async () => {
    builtCommand();
    browser = await openBrowser();
    cockpit = await ScriptedCockpit.start();
  });
  afterAll(async () => {
    await browser?.close();
    await cockpit?.close();
  });

  it("does not grow in memory over ten minutes of frames once its history is full, nor complain", async () => {
    const page = await openPage(browser, "dark", 1440);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(cockpit.link);
    await page.locator('#connection[data-state="live"]').waitFor();
    const bot = new SampleBot();
    const devtools = await page.context().newCDPSession(page);
    const send = async (count: number): Promise<void> => {
      for (let sent = 1; sent <= count; sent++) {
        const frame = bot.next();
        if (sent % 50 === 0)
          bot.notices.push({ atMs: bot.atMs, level: "warn", text: `warning ${bot.atMs}` });
        cockpit.frame("bot-1", frame);
        if (sent % AHEAD === 0)
          await page.locator(`article[data-turn="${frame.status.turn}"]`).waitFor();
      }
    };
    const measured = async () => {
      await devtools.send("HeapProfiler.collectGarbage");
      const { usedSize } = await devtools.send("Runtime.getHeapUsage");
      const { nodes } = await devtools.send("Memory.getDOMCounters");
      return { usedSize, nodes };
    };
    await send(FULL);
    const before = await measured();
    await send(TEN_MINUTES);
    const after = await measured();
    expect(after.usedSize - before.usedSize).toBeLessThan(MOST_GROWTH_BYTES);
    expect(after.nodes - before.nodes).toBeLessThan(MOST_GROWTH_NODES);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
