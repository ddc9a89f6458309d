import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const CHROMIUM = process.env.MARKETWRIGHT_CHROMIUM ?? "/usr/bin/chromium";

/** True when this machine has a browser to open our pages with. */
export const hasBrowser = existsSync(CHROMIUM);

/** For the title of what is skipped without one. */
export const skipNote = hasBrowser
  ? ""
  : ` (skipped: no ${CHROMIUM}; MARKETWRIGHT_CHROMIUM names another)`;

/** A browser and a page take their own time for each request. */
export const BROWSER_TIMEOUT = { timeout: 300_000 };

/** A browser of the test's own, which it has to close. @param flags further ones of Chromium */
export function openBrowser(...flags: readonly string[]): Promise<Browser> {
  const args = ["--no-sandbox", ...flags];
  return chromium.launch({ executablePath: CHROMIUM, args, ...BROWSER_TIMEOUT });
}

/** A page in a colour scheme and a width in pixels. */
export async function openPage(
  browser: Browser,
  colorScheme: "light" | "dark",
  width: number,
): Promise<Page> {
  const page = await browser.newPage({ colorScheme, viewport: { width, height: 900 } });
  page.setDefaultTimeout(BROWSER_TIMEOUT.timeout);
  return page;
}
