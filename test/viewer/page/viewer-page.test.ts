import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import type { ViewedJournals } from "#viewer/viewed-journals.js";
import { startViewerServer, type ViewerServer } from "#viewer/viewer-server.js";
import { captureCli } from "../../cli/captured-cli.js";
import { builtCommand } from "../../support/built-command.js";
import {
  BROWSER_TIMEOUT,
  hasBrowser,
  openBrowser,
  openPage,
  skipNote,
} from "../../support/test-browser.js";
import { contrastsOfTexts } from "../../support/text-contrasts.js";
import { olderLines, readWhole, recordVirtualRun, writeJournal } from "../recorded-journals.js";

const PAGE = fileURLToPath(new URL("../../../dist/viewer-page/", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "marketwright-viewer-page-"));
const plain = (text: string): string => text.replaceAll("\u202f", "").replaceAll("−", "-");

describe.skipIf(!hasBrowser)(`the page of a journal in a browser${skipNote}`, () => {
  let browser: Browser;
  let page: Page;
  let complaints: string[] = [];
  const open: (ViewedJournals | ViewerServer)[] = [];
  let older: string;
  let single: ViewerServer;
  let journals: ViewedJournals;

  async function serve(viewed: ViewedJournals): Promise<ViewerServer> {
    const server = await startViewerServer({
      port: 0,
      runtime: createLiveRuntime(),
      pageFolder: PAGE,
      journals: viewed,
    });
    open.push(server, viewed);
    return server;
  }

  beforeAll(async () => {
    builtCommand();
    browser = await openBrowser();
    older = writeJournal(folder, "run.journal", olderLines().slice(0, 301));
    journals = await readWhole({ journal: older, turn: 107 });
    single = await serve(journals);
  }, 120_000);
  afterEach(() => page?.close());
  afterAll(async () => {
    await browser?.close();
    for (const one of open) await one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function opened(
    server: ViewerServer,
    scheme: "light" | "dark" = "light",
    width = 1440,
  ): Promise<void> {
    page = await openPage(browser, scheme, width);
    complaints = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`http://127.0.0.1:${server.port}/#token=${server.createToken()}`);
    await page.locator('#reading[data-state="read"]').waitFor();
  }

  const shown = (turn: number) => page.locator(`article[data-turn="${turn}"]`).first().waitFor();
  const text = async (selector: string): Promise<string> =>
    plain(await page.locator(selector).first().innerText());
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const slider = () => page.getByRole("slider").first();

  it("shows the turn of the link with what bisect prints, the orders in the book and the position", async () => {
    await opened(single);
    await shown(107);
    const { out } = await captureCli(["bisect", older, "--turn", "107", "--json"]);
    const { chain, fields } = JSON.parse(out);
    const rows = await page.locator(".chain tbody tr").allInnerTexts();
    expect(rows.map((row) => row.split("\t").slice(2).join(" ").trim())).toEqual(
      chain.map(({ step, text: what }: { step: string; text: string }) => `${step} ${what}`),
    );
    expect(await page.locator(".changes tbody tr").count()).toBe(fields.length);
    expect(await text('.figure:has(.name:text-is("Position")) .value')).toBe("-0.04");
    const { state } = journals.turn(107).runs[0] ?? {};
    const quotes = state?.status.markets.btcusdc?.quotes ?? [];
    expect(quotes.length).toBeGreaterThan(0);
    const orders = plain((await page.locator(".quotes tbody tr").allInnerTexts()).join("\n"));
    for (const { price } of quotes) expect(orders).toContain(price);
    expect(await page.locator(".ladder tr.own").count()).toBeGreaterThan(0);
    expect(await text(".halts")).toContain("btcusdc halted: inventory");
    expect(complaints).toEqual([]);
  }, 300_000);

  it("moves turn by turn with the keys, by clicks on the time line and by a typed turn or time", async () => {
    await opened(single);
    await shown(107);
    await slider().focus();
    await page.keyboard.press("ArrowRight");
    await shown(108);
    expect(await slider().getAttribute("aria-valuenow")).toBe("108");
    expect(await slider().getAttribute("aria-valuetext")).toContain("turn 108");
    await page.keyboard.press("ArrowLeft");
    await shown(107);
    await page.keyboard.press("PageUp");
    await shown(122);
    await page.keyboard.press("Home");
    await shown(1);
    await page.keyboard.press("ArrowLeft");
    await shown(1);
    await page.keyboard.press("End");
    await shown(300);
    const box = await slider().boundingBox();
    if (box === null) throw new Error("no time line");
    await page.mouse.click(box.x + 1, box.y + 10);
    await page.locator('article[data-turn="300"]').waitFor({ state: "detached" });
    expect(Number(await page.locator("article").first().getAttribute("data-turn"))).toBeLessThan(
      40,
    );
    const field = page.getByLabel("Turn or UTC time");
    await field.fill("144");
    await field.press("Enter");
    await shown(144);
    await field.fill("07:39:42.876");
    await field.press("Enter");
    await shown(106);
    await field.fill("5000");
    await field.press("Enter");
    await page.getByRole("alert").filter({ hasText: "it has turns 1 to 300" }).waitFor();
    await page.reload();
    await shown(106);
    expect(complaints.filter((line) => !line.includes("400"))).toEqual([]);
  }, 300_000);

  it("follows a link to the turn that led to this one, and finds the turns of a condition", async () => {
    await opened(single);
    await shown(107);
    await page.getByRole("button", { name: "Go to turn 35" }).first().click();
    await shown(35);
    await page.getByLabel("Condition").fill("position.btcusdc < -0.03");
    await button("First turn").click();
    await shown(107);
    await page.getByText("Turn 107: it holds from here on.").waitFor();
    await button("Next change ›").click();
    await page
      .locator(".answer")
      .filter({ hasText: /no next change|Turn \d+: it/ })
      .waitFor();
    await page.getByLabel("Condition").fill("positon.btcusdc < -0.03");
    await button("First turn").click();
    await page.getByRole("alert").filter({ hasText: "expected position.btcusdc" }).waitFor();
  }, 300_000);

  it("zooms into the turns from one to another, and out again", async () => {
    await opened(single);
    await shown(107);
    await page.getByLabel("From").fill("100");
    await page.getByLabel("To", { exact: true }).fill("120");
    await page.getByLabel("To", { exact: true }).press("Enter");
    await page
      .locator(".ends")
      .filter({ hasText: /^turn 100 at .* to turn 120 at/ })
      .waitFor();
    expect(await slider().getAttribute("aria-valuemax")).toBe("120");
    await button("Whole run").click();
    await page
      .locator(".ends")
      .filter({ hasText: /to turn 300 at/ })
      .waitFor();
    await page.getByLabel("From").fill("120");
    await page.getByLabel("To", { exact: true }).fill("100");
    await page.getByLabel("To", { exact: true }).press("Enter");
    await page.getByRole("alert").filter({ hasText: "From, turn 120, is after To" }).waitFor();
  }, 300_000);

  it.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 360],
    ["dark", 360],
  ] as const)(
    "has every text legible in %s at %i pixels, and nothing beyond the edge",
    async (scheme, width) => {
      await opened(single, scheme, width);
      await shown(107);
      const texts = await page.evaluate(contrastsOfTexts);
      expect(texts.length).toBeGreaterThan(100);
      expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      expect(
        await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        ),
      ).toBe(0);
    },
    300_000,
  );

  it("shows two runs side by side, with where they differ", async () => {
    const one = writeJournal(folder, "one.journal", await recordVirtualRun(1));
    const other = writeJournal(folder, "other.journal", await recordVirtualRun(2));
    const pair = await readWhole({ journal: one, against: other });
    await opened(await serve(pair));
    await shown(1);
    expect(await page.locator("article.run").count()).toBe(2);
    expect(await page.getByRole("slider").count()).toBe(2);
    const { turn } = pair.nearestDifference(1, "next") ?? { turn: 0 };
    await button("Next difference ›").click();
    await shown(turn);
    const rows = plain((await page.locator(".differences tbody tr").allInnerTexts()).join("\n"));
    for (const { part, values } of pair.turn(turn).parts)
      for (const { path } of values) expect(rows).toContain(`${part}\t${path.join(".")}`);
    expect(rows).toContain("setting\tmarkets.ethusdc.params.halfSpreadBps\t1\t2");
    await button("‹ Previous difference").click();
    await page.getByText("There is no previous turn in which the runs differ.").waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  it("says that a link works once, and shows nothing then", async () => {
    const link = `http://127.0.0.1:${single.port}/#token=${single.createToken()}`;
    await opened(single);
    const stranger = await browser.newContext();
    const second = await stranger.newPage();
    await second.goto(link);
    await second.locator('#reading[data-state="read"]').waitFor(BROWSER_TIMEOUT);
    const third = await (await browser.newContext()).newPage();
    await third.goto(link);
    await third.getByRole("alert").filter({ hasText: "used before" }).waitFor(BROWSER_TIMEOUT);
    expect(await third.locator("article").count()).toBe(0);
  }, 300_000);
});
