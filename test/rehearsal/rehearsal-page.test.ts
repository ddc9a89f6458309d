import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rehearsalPage } from "#rehearsal/rehearsal-page.js";
import { createRehearsalReport } from "#rehearsal/rehearsal-report.js";
import { hasBrowser, openBrowser, openPage, skipNote } from "../support/test-browser.js";
import { contrastsOfTexts } from "../support/text-contrasts.js";
import { quote, sampleDeath, sampleRehearsal, sampleRun } from "./sample-run.js";

const HOSTILE = "<img src=x onerror=alert(1)>";

/** A report in which every part of the page has something to show. */
function fullReport() {
  const rung = {
    name: "drawdown 500",
    measure: "drawdown",
    action: "halt",
    atScaled: quote(500),
    wasReached: true,
    firedAfterMs: 1234,
    worked: true,
  } as const;
  const halt = { name: "stale-book", marketId: "btcusdc", times: 1, heldMs: 100 };
  const runs = [1, 2].flatMap((seed) => [
    sampleRun({ seed }),
    sampleRun({ seed, fault: "bot-killed", strikes: 1, deaths: [sampleDeath({})] }),
    sampleRun({ seed, fault: "stream-stalled", strikes: 3, halts: [halt], error: HOSTILE }),
    sampleRun({
      seed,
      fault: "price-trend",
      strikes: 1,
      profitScaled: quote(-1234.5 * seed),
      rungs: [rung, { ...rung, name: "drawdown 600", worked: false }],
    }),
    sampleRun({ seed, fault: "frame-lost" }),
  ]);
  const rehearsal = sampleRehearsal(runs, {
    bot: `${HOSTILE} bot.yaml`,
    notes: [`A note with ${HOSTILE}.`],
    notRehearsed: [{ fault: "hedge-stopped", reason: "the file has no hedge" }],
    isComplete: false,
    runsGuard: false,
  });
  const finding = {
    id: "no-loss-limit",
    fault: "price-trend",
    seed: 2,
    lossScaled: quote(2469),
    key: "risk.maxDrawdownQuote",
    text: `the account fell, ${HOSTILE}`,
    advice: "set a loss that you can bear",
  } as const;
  return createRehearsalReport(rehearsal, [finding], "my exchange.yaml");
}

describe.skipIf(!hasBrowser)(`rehearsal.html in a browser${skipNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "marketwright-rehearsal-"));
  const file = join(folder, "rehearsal.html");
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(file, rehearsalPage(fullReport()));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(
    colorScheme: "light" | "dark",
    width: number,
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, colorScheme, width);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => complaints.push(`dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) complaints.push(`asked for ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  it.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)(
    "is legible in %s at %i pixels: nothing beyond the edge, nothing loaded, no text of a bot run as a script",
    async (scheme, width) => {
      const { page, complaints } = await opened(scheme, width);
      await page.locator("button.seed").first().click();
      const texts = await page.evaluate(contrastsOfTexts);
      expect(texts.length).toBeGreaterThan(60);
      expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      expect(
        await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        ),
      ).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it("gives the command of the run behind a number, as one to copy", async () => {
    const { page } = await opened("light", 1280);
    const row = page.getByRole("row", { name: /^price-trend/ }).first();
    await row.getByRole("button", { name: "Command of seed 2 under price-trend" }).first().click();
    const command = await page.locator("#repeat-command").innerText();
    expect(command).toBe(
      `marketwright rehearse '${HOSTILE} bot.yaml' --exchange 'my exchange.yaml' --no-guard --fault price-trend --seeds 1 --first-seed 2`,
    );
    expect(await page.locator("#repeat").isVisible()).toBe(true);
    await page.close();
  });

  it("shows an interrupted rehearsal, a fault that struck nothing and a rung that failed as such", async () => {
    const { page } = await opened("light", 1280);
    const text = await page.locator("main").innerText();
    expect(text).toContain("It was interrupted: only 10 runs are shown.");
    expect(text).toContain("No guard ran beside the bot.");
    expect(await page.getByRole("row", { name: /^frame-lost/ }).innerText()).toMatch(
      /frame-lost\s+0 of 2/,
    );
    expect(await page.getByRole("row", { name: /^drawdown 600/ }).innerText()).toContain(
      "price-trend",
    );
    expect(text).toContain("hedge-stopped: the file has no hedge");
    await page.close();
  });
});
