import type { Browser, Page } from "playwright-core";
import { openBrowser, openPage } from "../../test/support/test-browser.js";

const WIDTH = 1180;

/** A text of this machine, and the one that readers see in its place. */
export interface Replacement {
  readonly text: string;
  readonly shown: string;
}

/** A browser that takes pictures of our pages. */
export class PageCamera {
  readonly #browser: Browser;
  readonly #replacement: Replacement;

  private constructor(browser: Browser, replacement: Replacement) {
    this.#browser = browser;
    this.#replacement = replacement;
  }

  static async open(replacement: Replacement): Promise<PageCamera> {
    return new PageCamera(await openBrowser(), replacement);
  }

  async open(address: string): Promise<Page> {
    const page = await openPage(this.#browser, "light", WIDTH);
    await page.goto(address);
    return page;
  }

  /** Takes a picture of the upper part of a page. @param height in pixels */
  async shoot(page: Page, height: number, file: string): Promise<void> {
    await page.setViewportSize({ width: WIDTH, height });
    await page.evaluate(replaceScript(this.#replacement));
    await page.screenshot({ path: file, scale: "css" });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** A script for the page, which has other globals than this program. */
function replaceScript({ text, shown }: Replacement): string {
  return `{
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode())
      nodes.currentNode.data =
        nodes.currentNode.data.replaceAll(${JSON.stringify(text)}, ${JSON.stringify(shown)});
  }`;
}
