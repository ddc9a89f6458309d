import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Frame } from "../../../assets/cockpit/frame.js";
import { builtCommand } from "../../support/built-command.js";
import {
  BROWSER_TIMEOUT,
  hasBrowser,
  openBrowser,
  openPage,
  skipNote,
} from "../../support/test-browser.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const hasServer = existsSync(join(ROOT, "src/cockpit"));
const LINK = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+/;
const plain = (text: string): string => text.replaceAll("\u202f", "").replaceAll("−", "-");

describe.skipIf(!hasBrowser || !hasServer)(
  `the cockpit of a running bot${hasServer ? skipNote : " (skipped: no server in src/cockpit)"}`,
  () => {
    let folder: string;
    let bot: ChildProcess;
    let browser: Browser;
    let page: Page;
    let said = "";
    const complaints: string[] = [];

    beforeAll(async () => {
      const command = builtCommand();
      folder = mkdtempSync(join(tmpdir(), "marketwright-cockpit-"));
      cpSync(join(ROOT, "config"), folder, {
        recursive: true,
        filter: (path) => !path.includes(".marketwright"),
      });
      const file = join(folder, "bot.yaml");
      const text = readFileSync(file, "utf8").replace(/^cockpit:.*$/m, "");
      writeFileSync(file, `${text}\ncockpit: { port: 0, control: true }\n`);
      const ports = ["--port", "0", "--rpc-port", "0", "--metrics-port", "0"];
      bot = spawn(
        process.execPath,
        [
          command,
          "start",
          file,
          "--exchange",
          join(folder, "exchange.yaml"),
          "--no-screen",
          ...ports,
        ],
        { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_RUNTIME_DIR: folder } },
      );
      for (const stream of [bot.stdout, bot.stderr])
        stream?.setEncoding("utf8").on("data", (chunk: string) => {
          said += chunk;
        });
      await expect.poll(() => said, BROWSER_TIMEOUT).toMatch(LINK);
      browser = await openBrowser();
      page = await openPage(browser, "light", 1440);
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(LINK.exec(said)?.[0] ?? "");
      await page.locator("article.bot").waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      if (bot?.exitCode === null) {
        bot.kill("SIGINT");
        await once(bot, "close");
      }
      rmSync(folder, { recursive: true, force: true });
    });

    it("shows the figures of the status at the same turn", async () => {
      // A second stream of the same session gets the same frames.
      await page.evaluate(keepFrames);
      await expect
        .poll(() => page.evaluate("window.pairs.length"), BROWSER_TIMEOUT)
        .toBeGreaterThan(5);
      const pairs = (await page.evaluate("window.pairs")) as readonly [Frame, string, string][];
      for (const [{ status }, equity, notional] of pairs) {
        expect(plain(equity)).toBe(status.equityQuote);
        const [first] = Object.values(status.markets);
        expect(plain(notional)).toBe(first?.notionalQuote ?? "–");
      }
    });

    it("halts and resumes a market, which the bot says on the page", async () => {
      const market = await page.locator(".market h2").innerText();
      for (const [name, state] of [
        ["Halt", "■ halted"],
        ["Resume", "● quoting"],
      ] as const) {
        await page.getByRole("button", { name, exact: true }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByLabel("to confirm").fill(market);
        await dialog.locator("[type=submit]").click();
        await expect
          .poll(() => dialog.getByRole("status").innerText(), BROWSER_TIMEOUT)
          .toMatch(name === "Halt" ? /^Halted in / : /^Resumed in /);
        await page.keyboard.press("Escape");
        await expect
          .poll(() => page.locator(".market-head .activity").innerText(), BROWSER_TIMEOUT)
          .toBe(state);
      }
    });

    it("shows what a flatten would trade, and flattens", async () => {
      await page.getByRole("button", { name: "Flatten", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await expect
        .poll(() => dialog.locator(".preview").innerText(), BROWSER_TIMEOUT)
        .toMatch(/none is placed until you resume/);
      await dialog.getByLabel("to confirm").fill(await page.locator(".market h2").innerText());
      await dialog.locator("[type=submit]").click();
      await expect
        .poll(() => dialog.getByRole("status").innerText(), BROWSER_TIMEOUT)
        .toMatch(/^(Flattening|Halted in) /);
      await page.keyboard.press("Escape");
      expect(complaints).toEqual([]);
    });
  },
);

/** Runs in the page: pairs the frames of a second stream with the figures shown at their turn. */
const keepFrames = `(async () => {
  window.pairs = [];
  const shown = new Map();
  const note = () => {
    const article = document.querySelector("article.bot");
    const value = (selector) => document.querySelector(selector)?.innerText ?? "";
    const figure = (within, name) =>
      [...document.querySelectorAll(within + " .figure")].find((one) => one.querySelector(".name").textContent === name)?.querySelector(".value").innerText ?? "";
    shown.set(article.dataset.turn, [figure(".cards", "Equity"), figure(".position", "Notional")]);
  };
  new MutationObserver(note).observe(document.querySelector("article.bot"), { attributes: true, subtree: true, childList: true, characterData: true });
  const stream = new EventSource("/events");
  stream.addEventListener("frame", ({ data }) => {
    const { frame } = JSON.parse(data);
    setTimeout(() => {
      const figures = shown.get(String(frame.status.turn));
      if (figures !== undefined && window.pairs.length < 20) window.pairs.push([frame, ...figures]);
    }, 300);
  });
})()`;
