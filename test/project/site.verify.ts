import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { StaticServer } from "../support/static-server.js";
import { hasBrowser, openBrowser, openPage, skipNote } from "../support/test-browser.js";
import { PROJECT_ROOT } from "./checkout.js";
import { docsPages } from "./pages.js";

/** A page of the site as the browser has it. */
interface VisitedPage {
  readonly title: string;
  readonly ids: ReadonlySet<string>;
  /** Addresses on this site that the page leads to, with their anchors. */
  readonly links: readonly URL[];
}

/** Run in the browser. */
const PAGE_CONTENTS = `({
  title: document.querySelector("h1")?.textContent ?? "",
  ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
  links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
})`;

describe.skipIf(!hasBrowser)(`the site that \`npm run site\` builds${skipNote}`, () => {
  const server = new StaticServer(join(PROJECT_ROOT, "site/dist"));
  /** By path. */
  const visited = new Map<string, VisitedPage>();
  const faults: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const built = spawnSync("npm", ["run", "-s", "site"], { cwd: PROJECT_ROOT, encoding: "utf8" });
    expect(built.status, built.stdout + built.stderr).toBe(0);
    await server.listen();
    browser = await openBrowser();
    page = await openPage(browser, "light", 1280);
    page.on("request", (request) => {
      if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== server.origin)
        faults.push(`${page.url()} asks for ${request.url()}`);
    });
    page.on("response", (response) => {
      if (response.status() !== 200) faults.push(`${response.status()} ${response.url()}`);
    });
    page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(`${page.url()}: ${message.text()}`);
    });
    await visitAll();
  }, 3_600_000);

  afterAll(async () => {
    await browser?.close();
    await server.close();
  });

  /** Opens the first page, then every page that an opened one leads to. */
  async function visitAll(): Promise<void> {
    const waiting = ["/"];
    for (const path of waiting) {
      const opened = await visit(path);
      visited.set(path, opened);
      for (const { pathname } of opened.links)
        if (!waiting.includes(pathname)) waiting.push(pathname);
    }
  }

  async function visit(path: string): Promise<VisitedPage> {
    await page.goto(`${server.origin}${path}`);
    const { title, ids, links } = (await page.evaluate(PAGE_CONTENTS)) as {
      readonly title: string;
      readonly ids: readonly string[];
      readonly links: readonly string[];
    };
    return {
      title,
      ids: new Set(ids),
      links: links.map((link) => new URL(link)).filter(({ origin }) => origin === server.origin),
    };
  }

  it("leads from its first page to every page of docs", () => {
    const expected = docsPages().map((name) =>
      name === "README.md" ? "/all-pages.html" : `/${name.replace(/\.md$/, ".html")}`,
    );
    expect(expected.filter((path) => !visited.has(path))).toEqual([]);
  });

  it("has a page for the exports of both public entries", () => {
    for (const path of [
      "/api/marketwright/functions/defineStrategy.html",
      "/api/marketwright/exchange/classes/ExchangeClient.html",
    ])
      expect(visited.get(path)?.title, path).toContain(path.split(/[/.]/).at(-2));
  });

  it("has a title on every page", () => {
    expect([...visited].filter(([, { title }]) => title === "").map(([path]) => path)).toEqual([]);
  });

  it("has every anchor that a link names", () => {
    const dead = [...visited].flatMap(([path, { links }]) =>
      links
        .filter(({ hash }) => hash !== "")
        .filter(
          ({ pathname, hash }) =>
            !visited.get(pathname)?.ids.has(decodeURIComponent(hash.slice(1))),
        )
        .map(({ pathname, hash }) => `${path} -> ${pathname}${hash}`),
    );
    expect(dead).toEqual([]);
  });

  it("opens every page without an error, from its own server alone", () => {
    expect(faults).toEqual([]);
  });

  it("finds pages by their words, and opens the one that is chosen", async () => {
    await page.goto(server.origin);
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.locator("#localsearch-input").fill("reconciliation");
    await page.locator("#localsearch-list a").first().click();
    await page.waitForURL(/\/[a-z-]+\/[a-z-]+\.html/);
    expect(faults).toEqual([]);
  });
});
