import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, openBrowser, openPage, skipNote } from "../../support/test-browser.js";
import { documentedExchange } from "./documented-exchange.js";

describe.skipIf(!hasBrowser)(`/docs in a browser${skipNote}`, () => {
  let browser: Browser;
  let exchange: Awaited<ReturnType<typeof documentedExchange>>;
  beforeAll(async () => {
    exchange = await documentedExchange();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await exchange?.close();
  });

  async function opened(
    colorScheme: "light" | "dark",
    width: number,
  ): Promise<{ page: Page; complaints: string[] }> {
    const page = await openPage(browser, colorScheme, width);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("requestfailed", (request) => complaints.push(`failed: ${request.url()}`));
    await page.goto(new URL("/docs", exchange.server.restUrl).href);
    return { page, complaints };
  }

  it.each(["light", "dark"] as const)(
    "is legible in %s: every text stands out from what is behind it",
    async (scheme) => {
      const { page, complaints } = await opened(scheme, 1200);
      const contrasts = await page.evaluate(contrastsOfTexts);
      expect(contrasts.length).toBeGreaterThan(100);
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
      // The page requests nothing but itself; a browser requests an icon by default.
      expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
      await page.close();
    },
  );

  it("fits a telephone, and its links lead somewhere", async () => {
    const { page } = await opened("light", 360);
    const overflow = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await page.click('a[href="#Order"]');
    expect(new URL(page.url()).hash).toBe("#Order");
    expect(await page.locator("#Order h3").innerText()).toBe("Order");
    await page.close();
  });
});

/**
 * Runs in the page: the contrast ratio of each text to its background (WCAG 2.1, relative
 * luminance).
 */
const contrastsOfTexts = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).slice(0, 3).map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if ((channels(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  return [...document.querySelectorAll("h1, h2, h3, p, td, th, a, code, span")].map((element) => {
    const [bright, dark] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => b - a);
    return (bright + 0.05) / (dark + 0.05);
  });
})()` as unknown as () => number[];
