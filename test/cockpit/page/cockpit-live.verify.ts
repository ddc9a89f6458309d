import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { BotStatus } from "../../../assets/cockpit/frame.js";
import { hasBrowser, openBrowser, openPage, skipNote } from "../../support/test-browser.js";
import { LiveBot } from "./live-bot.js";

const MINUTES = Number(process.env.MARKETWRIGHT_COCKPIT_MINUTES ?? 1);
const WAIT = { timeout: 60_000 };
/** Names of other sites that lead to this machine, as after DNS rebinding. */
const OTHER_SITE = "evil.example";

const plain = (text: string): string =>
  text.replaceAll("\u202f", "").replaceAll("−", "-").replace(/^\+/, "");
/** Trailing zeros are shown where a column aligns. */
const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

describe.skipIf(!hasBrowser)(`the cockpit of a running bot${skipNote}`, () => {
  let bot: LiveBot;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  // One that fails may have left its dialog open.
  beforeEach(() => page.keyboard.press("Escape"));
  beforeAll(async () => {
    bot = await LiveBot.start();
    browser = await openBrowser(`--host-resolver-rules=MAP *.example 127.0.0.1`);
    page = await openPage(browser, "light", 1440);
    page.setDefaultTimeout(WAIT.timeout);
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(bot.link);
    await page.locator("article.bot").waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await bot?.stop();
  });

  const status = (): Promise<BotStatus> => bot.status();
  const market = async (marketId: string) => {
    const found = (await status()).markets[marketId];
    if (found === undefined) throw new Error(`no ${marketId}`);
    return found;
  };
  const dialog = () => page.getByRole("dialog");
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const choose = (marketId: string) =>
    page.locator("nav.markets").getByText(marketId, { exact: true }).click();

  /** Confirms the open dialog, and returns the result that it shows. */
  async function confirm(name: string): Promise<string> {
    const send = dialog().locator("[type=submit]");
    await dialog().getByLabel("to confirm").fill(`${name}x`);
    expect(await send.isDisabled()).toBe(true);
    await dialog().getByLabel("to confirm").fill(name);
    await expect.poll(() => send.isEnabled(), WAIT).toBe(true);
    await send.click();
    const result = dialog().getByRole("status");
    await expect.poll(() => result.innerText(), WAIT).not.toMatch(/^(Sending …)?$/);
    const text = plain(await result.innerText());
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "hidden" });
    return text;
  }

  async function give(name: string, typed: string): Promise<string> {
    await button(name).click();
    return confirm(typed);
  }

  const lastAudit = () => bot.auditLines().at(-1);

  it("shows the figures of the status at the same turn", async () => {
    await page.evaluate(keepShown);
    const statuses = await bot.statusesFor(20_000);
    const shown = (await page.evaluate("window.shown")) as Readonly<Record<string, Shown>>;
    const pairs = statuses.flatMap((one) => {
      const figures = shown[one.turn];
      return figures === undefined ? [] : [{ status: one, figures }];
    });
    expect(new Set(pairs.map(({ status: { turn } }) => turn)).size).toBeGreaterThan(5);
    for (const { status: one, figures } of pairs)
      expect(toShown(figures), `turn ${one.turn}`).toEqual(shownFor(one));
  });

  it("halts, resumes, cancels and flattens a market, and says so", async () => {
    await choose("btcusdc");
    const state = () => page.locator(".market-head .activity").innerText();
    for (const [name, command] of [
      ["Halt", { command: "halt", reason: "halted in the cockpit" }],
      ["Cancel orders", { command: "halt", reason: "all orders cancelled in the cockpit" }],
    ] as const) {
      expect(await give(name, "btcusdc")).toMatch(/^Halted in btcusdc: /);
      expect(lastAudit()).toMatchObject({ command: { ...command, marketId: "btcusdc" } });
      await expect.poll(state, WAIT).toBe("■ halted");
      await expect.poll(async () => (await market("btcusdc")).quotes, WAIT).toEqual([]);
      expect((await market("ethusdc")).state).toBe("quoting");
      expect(await give("Resume", "btcusdc")).toMatch(/^Resumed in btcusdc: manual ended/);
      expect(lastAudit()).toMatchObject({ command: { command: "resume", marketId: "btcusdc" } });
      await expect.poll(state, WAIT).toBe("● quoting");
    }
    await expect.poll(async () => (await market("btcusdc")).positionBase, WAIT).not.toBe("0");
    await button("Flatten").click();
    await expect
      .poll(() => dialog().locator(".preview").innerText(), WAIT)
      .toMatch(/is traded to zero:[\s\S]*(Buys|Sells) [\s\S]* taker fee /);
    expect(await confirm("btcusdc")).toMatch(/^(Flattening btcusdc|Halted in btcusdc)/);
    expect(lastAudit()).toMatchObject({
      command: { command: "flatten", marketId: "btcusdc", maxSlippageBps: 50 },
      outcome: "ok",
    });
    await expect.poll(async () => (await market("btcusdc")).positionBase, WAIT).toBe("0");
    await give("Resume", "btcusdc");
    await expect.poll(state, WAIT).toBe("● quoting");
  });

  it("changes parameters as the preview shows, saves them, and reloads the file", async () => {
    await choose("ethusdc");
    const path = "markets.ethusdc.params.halfSpreadBps";
    await button("Parameters").click();
    await dialog().getByLabel("halfSpreadBps").first().fill("4");
    await dialog().getByLabel("halfSpreadBps").first().press("Tab");
    await expect
      .poll(async () => plain(await dialog().locator(".preview").innerText()), WAIT)
      .toMatch(
        /^1 value would change; nothing was done\.[\s\S]*halfSpreadBps\s+2\s+4[\s\S]*keeps its estimates[\s\S]*placed/,
      );
    expect(await confirm("ethusdc")).toMatch(
      /^1 value changed\. ethusdc: \d.* placed\. One value differs .* after a restart the file's apply/,
    );
    expect(lastAudit()).toMatchObject({
      command: { command: "set", changes: [{ path, value: 4 }] },
      outcome: "ok",
    });
    expect((await status()).differsFromFile).toEqual([{ path, running: "4", file: "2" }]);
    await expect
      .poll(() => page.locator(".differences tbody tr").innerText(), WAIT)
      .toBe(`${path}\t4\t2`);
    await button("Parameters").click();
    await dialog().getByLabel("halfSpreadBps").first().fill("5");
    await dialog().getByLabel("Save to the file").check();
    expect(await confirm("ethusdc")).toMatch(/^1 value changed, and saved to the file\./);
    expect(readFileSync(bot.file, "utf8")).toMatch(/halfSpreadBps: 5,/);
    writeFileSync(bot.file, readFileSync(bot.file, "utf8").replace("Bps: 5,", "Bps: 2,"));
    expect(await give("Reload the file", (await status()).account)).toMatch(/^1 value changed\./);
    expect(lastAudit()).toMatchObject({ command: { command: "reload" }, outcome: "ok" });
    expect((await status()).differsFromFile).toEqual([]);
  });

  it("refuses a wrong value with the reason", async () => {
    await button("Parameters").click();
    await dialog().getByLabel("halfSpreadBps").first().fill("-3");
    await dialog().getByLabel("halfSpreadBps").first().press("Tab");
    await expect
      .poll(() => dialog().locator(".preview").innerText(), WAIT)
      .toMatch(/^Refused: .*halfSpreadBps/);
    expect(await dialog().locator("[type=submit]").isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
  });

  it("commands all markets, confirmed by the account", async () => {
    const { account } = await status();
    for (const [name, command] of [
      ["Halt all", { command: "halt", reason: "halted in the cockpit" }],
      ["Cancel all orders", { command: "halt", reason: "all orders cancelled in the cockpit" }],
      ["Flatten all", { command: "flatten", maxSlippageBps: 50 }],
    ] as const) {
      expect(await give(name, account)).toMatch(/^(Halted in all markets|Flattening )/);
      const audit = lastAudit();
      expect(audit).toMatchObject({ command, outcome: "ok" });
      expect(audit?.command).not.toHaveProperty("marketId");
      await expect
        .poll(
          async () => Object.values((await status()).markets).flatMap(({ quotes }) => quotes),
          WAIT,
        )
        .toEqual([]);
      if (command.command === "flatten")
        await expect.poll(async () => (await status()).openPositions, WAIT).toEqual([]);
      expect(await give("Resume all", account)).toMatch(/^Resumed in all markets: /);
      expect(lastAudit()).toMatchObject({ command: { command: "resume" }, outcome: "ok" });
      await expect
        .poll(async () => Object.values((await status()).markets).map(({ state }) => state), WAIT)
        .toEqual(["quoting", "quoting"]);
    }
    await button("Other values").click();
    await dialog().getByLabel("name").fill("risk.maxDrawdownQuote");
    await dialog().getByLabel("value", { exact: true }).fill("1500.50");
    await dialog().getByLabel("value", { exact: true }).press("Tab");
    expect(await confirm(account)).toMatch(/^1 value changed\./);
    await expect
      .poll(() => page.locator(".ladder-panel, .risk").innerText(), WAIT)
      .toMatch(/1.?500\.50? USDC/);
  });

  describe("from another site", () => {
    let other: Server;
    let context: BrowserContext;
    let visitor: Page;
    let cockpit: string;

    beforeAll(async () => {
      other = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        response.end("<!doctype html><title>another site</title>");
      });
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      // This browser has a session: its cookie is what another site would like to use.
      context = await browser.newContext();
      visitor = await context.newPage();
      const link = await bot.newLink();
      cockpit = new URL(link).origin;
      await visitor.goto(link);
      await visitor.locator("article.bot").waitFor();
    });
    afterAll(async () => {
      await context?.close();
      await new Promise((resolve) => other.close(resolve));
    });

    it.each([OTHER_SITE, "127.0.0.1"])(
      "nothing is read and nothing is done by a page of %s on another port",
      async (host) => {
        const before = bot.auditLines().length;
        const answers: string[] = [];
        const intruder = await context.newPage();
        intruder.on("response", (response) => {
          if (response.url().startsWith(cockpit))
            answers.push(`${response.request().method()} ${response.url()} ${response.status()}`);
        });
        await intruder.goto(`http://${host}:${(other.address() as AddressInfo).port}/`);
        const reads = await intruder.evaluate(tryToCommand(cockpit));
        expect(reads).toEqual({
          post: "TypeError",
          simplePost: "TypeError",
          events: "error",
          script: "error",
          frame: "closed",
        });
        // The page itself may be asked for, but no other site may frame it.
        const allowed = new RegExp(`^GET ${cockpit}/ 200$| 403$`);
        expect(answers.filter((answer) => !allowed.test(answer))).toEqual([]);
        const submitted = intruder.waitForNavigation();
        await intruder.evaluate(submitForm(cockpit));
        expect((await submitted)?.status()).toBe(403);
        await intruder.close();
        expect(bot.auditLines()).toHaveLength(before);
        const halts = (await status()).activeHalts.map(({ name }) => name);
        expect(halts).not.toContain("manual");
      },
    );

    it("a name that leads to this machine opens nothing, and does not use up the link", async () => {
      const link = await bot.newLink();
      const rebound = await context.newPage();
      const answer = await rebound.goto(link.replace("127.0.0.1", OTHER_SITE));
      expect(answer?.status()).toBe(403);
      expect(await rebound.locator("body").innerText()).toContain("ssh -L");
      expect(await rebound.evaluate(postFromHere)).toEqual([403, 403, 403]);
      await rebound.goto(link);
      await rebound.locator("article.bot").waitFor();
      await rebound.close();
    });
  });

  it(`says nothing in the console in ${MINUTES} min`, async () => {
    const end = Date.now() + 60_000 * MINUTES;
    for (let turn = 0; Date.now() < end; turn++) {
      await choose(turn % 2 === 0 ? "btcusdc" : "ethusdc");
      await page.mouse.wheel(0, turn % 10 === 9 ? -9_000 : 900);
      await page.waitForTimeout(2_000);
    }
    expect(await page.locator("#connection").getAttribute("data-state")).toBe("live");
    expect(complaints).toEqual([]);
  });
});

/** The figures of one turn. */
interface Shown {
  readonly cards: readonly string[];
  readonly position: readonly string[];
  readonly parts: readonly string[];
  readonly quotes: readonly (readonly string[])[];
  readonly markouts: readonly string[];
}

function toShown(shown: Shown): Shown {
  const figure = (text: string): string => trimmed(plain(text));
  return {
    cards: shown.cards.map(figure),
    position: shown.position.map(figure),
    parts: shown.parts.map(figure),
    quotes: shown.quotes.map((row) => row.map(figure)),
    markouts: shown.markouts.map(figure),
  };
}

/** The same figures of a status. */
function shownFor(status: BotStatus): Shown {
  const [market] = Object.values(status.markets);
  if (market === undefined) throw new Error("no market");
  const text = (value: string | null | undefined): string => trimmed(value ?? "–");
  const { pnlQuote, pnlTotalQuote } = market;
  return {
    cards: [
      status.equityQuote,
      status.earnedQuote,
      status.drawdownQuote,
      status.dailyLossQuote,
      status.unrealisedQuote,
      status.realisedQuote,
    ].map(text),
    position: [
      market.positionBase?.replace("-", ""),
      market.entryPrice,
      market.markQuote,
      market.notionalQuote,
      market.unrealisedQuote,
      market.realisedQuote,
    ].map(text),
    parts: [...Object.values(pnlQuote), pnlTotalQuote].map(text),
    quotes: market.quotes.map(({ price, amountBase, distanceBps }) => [
      trimmed(price),
      trimmed(amountBase),
      distanceBps === undefined ? "–" : trimmed(distanceBps.toFixed(1)),
    ]),
    markouts: market.markouts
      .filter(({ side, level }) => side === "both" && level === "all")
      .map(({ bps }) => trimmed(bps.toFixed(2))),
  };
}

/** Runs in the page: keeps the figures that it shows, by their turn. */
const keepShown = `(() => {
  window.shown = {};
  const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
  const article = document.querySelector("article.bot");
  new MutationObserver(() => {
    window.shown[article.dataset.turn] = {
      cards: texts(".cards .figure .value"),
      position: texts(".position .figure .value"),
      parts: texts(".parts tbody .money"),
      quotes: [...document.querySelectorAll(".quotes tbody tr")].map((row) => [1, 2, 3].map((at) => row.cells[at].textContent)),
      markouts: texts(".markouts tbody tr td:nth-child(2)"),
    };
  }).observe(article, { attributes: true, subtree: true, childList: true, characterData: true });
})()`;

/** Runs in a page of another site: all that it could try, with the cookie of the session. */
const tryToCommand = (cockpit: string): string => `(async () => {
  const body = JSON.stringify({ id: "a", request: { command: "halt" }, confirm: "a" });
  const outcome = async (init) => {
    try {
      return (await fetch("${cockpit}/command", { method: "POST", credentials: "include", body, ...init })).type;
    } catch (error) {
      return error.name;
    }
  };
  const loaded = (element, address) =>
    new Promise((resolve) => {
      element.onload = () => resolve("load");
      element.onerror = () => resolve("error");
      element.src = address;
      document.body.append(element);
    });
  const frame = document.createElement("iframe");
  await loaded(frame, "${cockpit}/");
  const headers = { "x-marketwright": "1", "content-type": "application/json" };
  return {
    post: await outcome({ headers }),
    simplePost: await outcome({ mode: "no-cors" }),
    events: await new Promise((resolve) => {
      const source = new EventSource("${cockpit}/events", { withCredentials: true });
      source.onopen = () => resolve("open");
      source.onerror = () => {
        source.close();
        resolve("error");
      };
    }),
    script: await loaded(document.createElement("script"), "${cockpit}/assets/cockpit.js"),
    frame: frame.contentDocument === null ? "closed" : "open",
  };
})()`;

/** Runs in a page of another site: sends a form, which needs no permission. */
const submitForm = (cockpit: string): string => `(() => {
  const form = document.createElement("form");
  form.method = "POST";
  form.action = "${cockpit}/command";
  form.enctype = "text/plain";
  document.body.append(form);
  form.submit();
})()`;

/** Runs in a page of the cockpit's port under another name: requests that are its own origin's. */
async function postFromHere(): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (const path of ["/session", "/command", "/preview"]) {
    const headers = { "x-marketwright": "1", "content-type": "application/json" };
    const { status } = await fetch(path, { method: "POST", headers, body: "{}" });
    statuses.push(status);
  }
  return statuses;
}
