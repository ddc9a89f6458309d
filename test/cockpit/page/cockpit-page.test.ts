import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CommandPreview, Frame } from "../../../assets/cockpit/frame.js";
import { builtCommand } from "../../support/built-command.js";
import { canvasTexts, recordCanvasTexts } from "../../support/canvas-texts.js";
import {
  BROWSER_TIMEOUT,
  hasBrowser,
  openBrowser,
  openPage,
  skipNote,
} from "../../support/test-browser.js";
import { contrastsOfTexts } from "../../support/text-contrasts.js";
import { SampleBot, type SampleBotOptions } from "./sample-bot.js";
import { sampleDifference } from "./sample-difference.js";
import { emptyPreview, ScriptedCockpit } from "./scripted-cockpit.js";

const ID = "bot-1";
/** A frame in which a market has a reference price. */
function withReference(frame: Frame, state: "good" | "stale"): Frame {
  const isGood = state === "good";
  const { btcusdc, ...others } = frame.status.markets;
  if (btcusdc === undefined) throw new Error("no market");
  const reference = {
    state,
    why: isGood ? undefined : "binance is down (the host is gone)",
    price: isGood ? "59985.00" : undefined,
    fairPrice: isGood ? "60000.00" : undefined,
    ageMs: isGood ? 250 : undefined,
    basisBps: 2.5,
    basisFrozen: isGood ? undefined : "binance is down (the host is gone)",
    onStale: "halt" as const,
    sources: [
      {
        name: "binance",
        weight: 1,
        price: "59985.00",
        ageMs: 250,
        counts: isGood,
        leftOut: isGood ? undefined : "is down (the host is gone)",
      },
    ],
  };
  const markets = { btcusdc: { ...btcusdc, reference }, ...others };
  return { ...frame, status: { ...frame.status, markets } };
}

const plain = (text: string): string => text.replaceAll("\u202f", "").replaceAll("−", "-");

describe.skipIf(!hasBrowser)(`the cockpit's page in a browser${skipNote}`, () => {
  let browser: Browser;
  let cockpit: ScriptedCockpit;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    builtCommand();
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    cockpit = await ScriptedCockpit.start();
  });
  afterEach(async () => {
    await page?.close();
    await cockpit.close();
  });

  async function opened(
    scheme: "light" | "dark" = "light",
    width = 1440,
    height = 900,
  ): Promise<void> {
    page = await openPage(browser, scheme, width);
    await page.setViewportSize({ width, height });
    await recordCanvasTexts(page);
    complaints = [];
    page.on("console", (message) => {
      // The test itself reads what the canvases show.
      if (!message.text().startsWith("Canvas2D: Multiple readback"))
        complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(cockpit.link);
    // Events before the page listens are lost, except the newest frame.
    await page.locator('#connection[data-state="live"]').waitFor();
  }

  /** A bot that has sent some frames to the page. */
  async function sent(frames: number, options: SampleBotOptions = {}): Promise<[SampleBot, Frame]> {
    const bot = new SampleBot(options);
    let frame = bot.next();
    const { config, account, phase } = frame.status;
    cockpit.list([{ id: ID, config, account, phase, control: frame.control }]);
    cockpit.frame(ID, frame);
    for (let count = 1; count < frames; count++) {
      frame = bot.next();
      cockpit.frame(ID, frame);
    }
    await shown(frame);
    return [bot, frame];
  }

  /** Waits until the page shows a frame. */
  async function shown({ status }: Frame): Promise<void> {
    await page.locator(`article[data-turn="${status.turn}"]`).waitFor();
  }

  const text = async (selector: string): Promise<string> =>
    plain(await page.locator(selector).first().innerText());
  /** The value of a figure by its name. */
  const figure = (name: string, within = ""): Promise<string> =>
    text(`${within} .figure:has(.name:text-is("${name}")) .value`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });

  describe.each([
    ["light", 1440],
    ["dark", 1440],
    ["light", 820],
    ["light", 390],
    ["dark", 390],
  ] as const)("in %s at %i pixels", (scheme, width) => {
    it("draws every chart, has every text legible, nothing beyond the edge and no console error", async () => {
      // All of it is in sight: a chart out of sight is drawn when it is scrolled to.
      await opened(scheme, width, 9_000);
      const [bot] = await sent(40);
      bot.halts.set("ethusdc", { name: "manual", why: "news at eight" });
      bot.notices.push({ atMs: bot.atMs, level: "warn", text: "a warning" });
      bot.alter = (frame) => ({
        ...frame,
        status: {
          ...withReference(frame, "stale").status,
          guard: { state: "missing", text: "no guard runs" },
        },
      });
      const frame = bot.next();
      cockpit.frame(ID, frame);
      await shown(frame);
      await expect
        .poll(async () => {
          const drawn = await page.evaluate(chartsDrawn);
          return drawn.filter((inked) => inked > 50).length;
        }, BROWSER_TIMEOUT)
        .toBe(7);
      const texts = await page.evaluate(contrastsOfTexts);
      expect(texts.length).toBeGreaterThan(300);
      expect(texts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
      expect(
        await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        ),
      ).toBeLessThanOrEqual(0);
      expect(complaints).toEqual([]);
    });
  });

  it("shows the figures of the status at the same turn, digit for digit", async () => {
    await opened();
    const [, { status, markets }] = await sent(30);
    const { btcusdc } = status.markets;
    if (btcusdc === undefined || markets.btcusdc === undefined) throw new Error("no market");
    const signed = (decimal: string | null | undefined): string =>
      decimal?.startsWith("-") === false && /[1-9]/.test(decimal) ? `+${decimal}` : String(decimal);
    expect(await figure("Equity", ".cards")).toBe(status.equityQuote);
    expect(await figure("Earned since the start", ".cards")).toBe(signed(status.earnedQuote ?? ""));
    expect(await figure("Below the peak", ".cards")).toBe(status.drawdownQuote);
    expect(await figure("Unrealised", ".cards")).toBe(signed(status.unrealisedQuote));
    expect(await figure("Entry", ".position")).toBe(btcusdc.entryPrice ?? "–");
    expect(await figure("Notional", ".position")).toBe(btcusdc.notionalQuote);
    expect(await figure("Unrealised", ".position")).toBe(signed(btcusdc.unrealisedQuote));
    expect(await figure("Mark", ".position")).toBe(btcusdc.markQuote);
    for (const [part, amount] of Object.entries(btcusdc.pnlQuote)) {
      const name = part === "failed" ? "failed settlements" : part;
      expect(await text(`.parts tr:has-text("${name}") .money`), part).toBe(signed(amount));
    }
    const quotes = page.locator(".quotes tbody tr");
    expect(await quotes.count()).toBe(btcusdc.quotes.length);
    for (const [index, quote] of btcusdc.quotes.entries()) {
      const cells = (await quotes.nth(index).locator("th, td").allInnerTexts()).map(plain);
      expect(cells.slice(1, 3)).toEqual([quote.price, quote.amountBase]);
      expect(cells[3]).toBe(quote.distanceBps?.toFixed(1));
    }
    const fills = page.locator(".fills tbody tr");
    expect(await fills.count()).toBe(markets.btcusdc.fills.length);
    const newest = markets.btcusdc.fills.at(-1);
    if (newest !== undefined)
      expect((await fills.first().locator("td").allInnerTexts()).map(plain)).toEqual(
        expect.arrayContaining([newest.price, newest.amountBase]),
      );
    const markout = btcusdc.markouts.find(({ side, level }) => side === "both" && level === "all");
    expect(await text(".markouts tbody tr:first-child td:nth-child(2)")).toBe(
      `+${markout?.bps.toFixed(2)}`,
    );
  });

  it("shows our orders in the depth ladder, and those beyond its levels at the edge", async () => {
    await opened();
    const [bot] = await sent(3);
    bot.alter = (frame) => {
      const market = frame.status.markets.btcusdc;
      if (market === undefined) return frame;
      const [first] = market.quotes;
      const far = { ...first, side: "BUY", price: "50000.0", amountBase: "0.75" } as typeof first;
      const quotes = far === undefined ? market.quotes : [...market.quotes, far];
      const markets = { ...frame.status.markets, btcusdc: { ...market, quotes } };
      return { ...frame, status: { ...frame.status, markets } };
    };
    const frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    const edge = page.locator(".ladder tr.bid").last();
    expect((await edge.locator("th, td").allInnerTexts()).map(plain).slice(0, 3)).toEqual([
      "50000.0",
      "beyond",
      "◆ 0.750",
    ]);
    const touch = frame.status.markets.btcusdc?.bestBid;
    expect(plain(await page.locator(".ladder tr.bid th").first().innerText())).toBe(touch);
  });

  it("has a line for the reference price of a market that has one, or why it is not good", async () => {
    await opened();
    const [bot] = await sent(1);
    expect(await page.locator(".reference").first().isVisible()).toBe(false);
    const line = async (state: "good" | "stale"): Promise<string> => {
      const frame = withReference(bot.next(), state);
      cockpit.frame(ID, frame);
      await shown(frame);
      return text(".reference");
    };
    expect(await line("good")).toBe(
      "Reference price 59985.00, fair 60000.00 (basis +2.50 bps), 0.3 s old, binance",
    );
    expect(await line("stale")).toBe("Reference price stale: binance is down (the host is gone)");
    expect(complaints).toEqual([]);
  });

  it("says what halts a market and what would lift it, and offers no command when it is read-only", async () => {
    await opened();
    const [bot] = await sent(2, { control: false });
    bot.halts.set("btcusdc", { name: "stale-book", why: "the book is 2.4 s old" });
    const frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    const halts = page.getByRole("region", { name: "Halts and guard" });
    expect(await halts.innerText()).toContain("the book is 2.4 s old");
    expect(await halts.innerText()).toContain("It ends when the stream confirms the book again.");
    expect(await text(".read-only")).toContain("control: true");
    for (const name of ["Halt", "Resume", "Flatten", "Cancel orders", "Parameters", "Halt all"])
      expect(await button(name).isVisible(), name).toBe(false);
  });

  it("shows what a flatten would trade, sends it only once the market's name is typed, and says the result", async () => {
    await opened();
    const [, { status }] = await sent(4);
    const preview: CommandPreview = {
      ...emptyPreview(undefined),
      command: "flatten",
      markets: [
        {
          marketId: "btcusdc",
          ordersCancelled: 2,
          positionBase: "0.12",
          flatten: {
            side: "SELL",
            amountBase: "0.12",
            touchPrice: "60004.2",
            expectedPrice: "60003.1417",
            worstPrice: "59704.2",
            slippageBps: 0.18,
            slippageQuote: "0.127004",
            takerFeeQuote: "3.600188",
            unfilledBase: "0",
            sliceBase: "0.1",
            slices: 2,
          },
        },
      ],
    };
    const market = { ...status.markets.btcusdc, isFlattening: true, positionBase: "0.12" };
    cockpit.answer = ({ path }) => {
      if (path === "/preview") return { ok: true, data: preview };
      return { ok: true, data: { ...status, markets: { btcusdc: market } } };
    };
    await button("Flatten").click();
    const dialog = page.getByRole("dialog", { name: "Flatten btcusdc" });
    await expect
      .poll(async () => plain(await dialog.innerText()), BROWSER_TIMEOUT)
      .toContain("Sells 0.12 BTC at about 60003.1417, no worse than 59704.2.");
    expect(plain(await dialog.innerText())).toContain("taker fee 3.600188 USDC");
    const send = dialog.getByRole("button", { name: "Flatten", exact: true });
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel("to confirm").fill("ethusdc");
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel("Most slippage").fill("20");
    await dialog.getByLabel("to confirm").fill("btcusdc");
    await expect.poll(() => send.isEnabled(), BROWSER_TIMEOUT).toBe(true);
    await page.keyboard.press("Enter");
    await expect
      .poll(async () => plain(await dialog.getByRole("status").innerText()), BROWSER_TIMEOUT)
      .toMatch(/^Flattening btcusdc: position 0\.12 BTC is being closed/);
    expect(cockpit.posts.at(-1)).toEqual({
      path: "/command",
      body: {
        id: ID,
        confirm: "btcusdc",
        request: { command: "flatten", marketId: "btcusdc", maxSlippageBps: 20 },
      },
    });
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(false);
  });

  it.each([
    ["Halt", "btcusdc", { command: "halt", marketId: "btcusdc", reason: "halted in the cockpit" }],
    ["Resume", "btcusdc", { command: "resume", marketId: "btcusdc" }],
    [
      "Cancel orders",
      "btcusdc",
      { command: "halt", marketId: "btcusdc", reason: "all orders cancelled in the cockpit" },
    ],
    ["Halt all", "all", { command: "halt", reason: "halted in the cockpit" }],
    ["Resume all", "all", { command: "resume" }],
    ["Flatten all", "all", { command: "flatten", maxSlippageBps: 50 }],
    [
      "Cancel all orders",
      "all",
      { command: "halt", reason: "all orders cancelled in the cockpit" },
    ],
  ])(
    "sends %s confirmed by %s, and shows the reason of a refusal",
    async (name, confirm, request) => {
      await opened();
      const [bot] = await sent(2);
      bot.halts.set("btcusdc", { name: "manual", why: "news at eight" });
      const frame = bot.next();
      cockpit.frame(ID, frame);
      await shown(frame);
      cockpit.answer = ({ path, body }) =>
        path === "/preview"
          ? { ok: true, data: emptyPreview(body.request) }
          : { ok: false, error: { name: "RunError", message: "the bot is stopping" } };
      await button(name).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("to confirm").fill(confirm);
      await expect
        .poll(() => dialog.locator("[type=submit]").isEnabled(), BROWSER_TIMEOUT)
        .toBe(true);
      await dialog.locator("[type=submit]").click();
      await expect
        .poll(() => dialog.getByRole("status").innerText(), BROWSER_TIMEOUT)
        .toBe("Refused: the bot is stopping.");
      expect(cockpit.posts).toEqual([
        { path: "/preview", body: { id: ID, request } },
        { path: "/command", body: { id: ID, request, confirm } },
      ]);
    },
  );

  it("shows the difference of changed parameters before they are applied", async () => {
    await opened();
    await sent(2);
    cockpit.answer = ({ body: { request } }) => {
      const isPreview = request?.command === "set" && request.preview;
      return {
        ok: true,
        data: { difference: isPreview ? sampleDifference("preview") : sampleDifference("applied") },
      };
    };
    await button("Parameters").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("riskAversion").fill("0.1");
    await dialog.getByLabel("riskAversion").press("Tab");
    await expect
      .poll(() => dialog.locator(".preview tbody tr").first().innerText(), BROWSER_TIMEOUT)
      .toBe("markets.btcusdc.params.riskAversion\t0.05\t0.1");
    const rows = await dialog.locator(".preview tbody tr").allInnerTexts();
    expect(rows.slice(1).map((row) => plain(row).split(/\s*[\t\n]\s*/))).toEqual([
      ["▲ buy 0", "59986.2", "0.02, 3.01 bps", "59974.2", "0.02, 5.01 bps", "placed"],
      ["▼ sell 0", "60022.3", "0.02, 3.01 bps", "60022.3", "0.02, 3.01 bps", "stays"],
      ["▼ sell 1", "none", "60040.3", "0.02, 6.01 bps", "withheld: over limits.maxPositionBase"],
    ]);
    expect(plain(await dialog.locator(".preview").innerText())).toContain(
      "1 order stays, 1 cancelled, 1 placed. The strategy keeps its estimates.",
    );
    await dialog.getByLabel("Save to the file").check();
    await dialog.getByLabel("to confirm").fill("btcusdc");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await expect
      .poll(() => dialog.getByRole("status").innerText(), BROWSER_TIMEOUT)
      .toBe(
        "1 value changed, and saved to the file. btcusdc: 1 order stays, 1 cancelled, 1 placed. A note.",
      );
    const changes = [{ path: "markets.btcusdc.params.riskAversion", value: 0.1 }];
    expect(cockpit.posts.map(({ body }) => body.request)).toEqual([
      { command: "set", changes, preview: true, save: false },
      { command: "set", changes, preview: true, save: false },
      { command: "set", changes, preview: false, save: true },
    ]);
  });

  it("changes a limit digit for digit, confirmed by the account or all, and reloads the file", async () => {
    await opened();
    const [, { status }] = await sent(2);
    cockpit.answer = () => ({ ok: true, data: { difference: sampleDifference("applied") } });
    await button("Other values").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("name").fill("risk.maxDrawdownQuote");
    await dialog.getByLabel("value", { exact: true }).fill("1500.50");
    await dialog.getByLabel("value", { exact: true }).press("Tab");
    const send = async (verb: string, typed: string): Promise<void> => {
      await dialog.getByLabel("to confirm").fill(typed);
      await dialog.getByRole("button", { name: verb }).click();
      await expect
        .poll(() => dialog.getByRole("status").innerText(), BROWSER_TIMEOUT)
        .toMatch(/^1 value changed/);
      expect(await dialog.locator(".preview").isVisible()).toBe(false);
      await page.keyboard.press("Escape");
    };
    await send("Apply", status.account);
    await button("Reload the file").click();
    await send("Reload", "all");
    const changes = [{ path: "risk.maxDrawdownQuote", value: "1500.50" }];
    expect(cockpit.posts.map(({ body: { request, confirm } }) => ({ request, confirm }))).toEqual([
      { request: { command: "set", changes, preview: true, save: false } },
      {
        request: { command: "set", changes, preview: false, save: false },
        confirm: "all",
      },
      { request: { command: "reload", preview: true } },
      { request: { command: "reload", preview: false }, confirm: "all" },
    ]);
  });

  it("says how old the figures are once nothing comes, and goes on when frames do", async () => {
    await opened();
    const [bot] = await sent(2);
    await expect.poll(() => text("p.stale"), BROWSER_TIMEOUT).toMatch(/^■ No news for \d/);
    const frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    await expect.poll(() => page.locator("p.stale").isVisible(), BROWSER_TIMEOUT).toBe(false);
  });

  it("keeps a bot that has vanished, says since when, and shows the others", async () => {
    await opened();
    const bots = ["desk-a", "desk-b"].map((name, index) => ({
      id: name,
      bot: new SampleBot({ config: `/bots/${name}.yaml`, seed: index + 1 }),
    }));
    cockpit.list(
      bots.map(({ id }) => {
        return { id, config: `/bots/${id}.yaml`, account: "0x01", phase: "running", control: true };
      }),
    );
    for (const { id, bot } of bots) cockpit.frame(id, bot.next());
    const row = (name: string) => page.locator(".bots-table tbody tr", { hasText: name });
    await row("desk-b").getByRole("button", { name: "desk-b", exact: true }).click();
    await expect.poll(() => text("h1"), BROWSER_TIMEOUT).toBe("desk-b");
    cockpit.gone("desk-b");
    await expect
      .poll(() => row("desk-b").innerText(), BROWSER_TIMEOUT)
      .toMatch(/■ gone[\s\S]*gone since \d\d:\d\d:\d\d/);
    expect(await text("p.stale")).toMatch(/^■ Gone since/);
    expect(await text("h1 + .activity")).toBe("■ gone");
    for (const name of ["Halt", "Flatten", "Halt all", "Flatten all"])
      expect(await button(name).isDisabled(), name).toBe(true);
    await row("desk-b").getByRole("button", { name: "Remove desk-b from the page" }).click();
    await expect.poll(() => text("h1"), BROWSER_TIMEOUT).toBe("desk-a");
  });

  it.each([
    ["running", "■ Ended without a stop", "8 of its orders may still be open."],
    ["stopping", "○ Stopped", "A bot that stops cancels its orders before it exits."],
  ])(
    "says of a bot that vanished while it was %s what may be open, and how to cancel it",
    async (phase, title, why) => {
      await opened();
      const [bot] = await sent(2, { config: "/bots/desk a.yaml" });
      bot.alter = (frame) => ({
        ...frame,
        status: { ...frame.status, phase, guard: { state: "missing", text: "no guard runs" } },
      });
      const frame = bot.next();
      cockpit.frame(ID, frame);
      await shown(frame);
      cockpit.gone(ID);
      const halts = page.getByRole("region", { name: "Halts and guard" });
      await expect.poll(() => halts.innerText(), BROWSER_TIMEOUT).toContain(title);
      const shownText = await halts.innerText();
      expect(shownText).toContain(why);
      expect(shownText).toContain("marketwright cancel-all '/bots/desk a.yaml'");
      expect(shownText).not.toContain("if this bot dies");
    },
  );

  it("does not call a bot quoting once the cockpit itself is gone", async () => {
    await opened();
    const bots = ["desk-a", "desk-b"].map(
      (name) => [name, new SampleBot({ config: `/bots/${name}.yaml` })] as const,
    );
    const states = () => page.locator(".bots-table tbody td:nth-child(2)").allInnerTexts();
    await expect
      .poll(() => {
        for (const [name, bot] of bots) cockpit.frame(name, bot.next());
        return states();
      }, BROWSER_TIMEOUT)
      .toEqual(["● quoting", "● quoting"]);
    await cockpit.close();
    await expect.poll(states, BROWSER_TIMEOUT).toEqual(["○ was quoting", "○ was quoting"]);
    expect(await text(".bots-table tbody td:last-child")).toMatch(/^not connected/);
    for (const place of ["h1 + .activity", "h2 + .activity", ".markets li .activity"])
      expect(await text(place), place).toBe("○ was quoting");
    cockpit = await ScriptedCockpit.start();
  });

  it("names the folders of bots whose files have the same name", async () => {
    await opened();
    const files = ["/srv/a/config/bot.yaml", "/srv/b/bot.yaml", "/srv/b/other.yaml"];
    for (const [index, config] of files.entries())
      cockpit.frame(`bot-${index}`, new SampleBot({ config, seed: index + 1 }).next());
    const names = () => page.locator(".bots-table tbody button.link").allInnerTexts();
    await expect.poll(names, BROWSER_TIMEOUT).toEqual(["config/bot", "b/bot", "other"]);
    await page.getByRole("button", { name: "b/bot", exact: true }).click();
    await expect.poll(() => text("h1"), BROWSER_TIMEOUT).toBe("b/bot");
    await button("Halt all").click();
    await page.getByRole("dialog", { name: "Halt all markets of b/bot" }).waitFor();
  });

  it("names its own port for a tunnel", async () => {
    await opened();
    const { port } = cockpit;
    expect(await text("footer code")).toBe(`ssh -L ${port}:127.0.0.1:${port} HOST`);
  });

  it("has our best bid and ask in the scale of the price, also where they were", async () => {
    await opened();
    const [bot] = await sent(2);
    let away = 90;
    bot.alter = (frame) => {
      const market = frame.status.markets.btcusdc;
      if (market === undefined) return frame;
      const quotes = market.quotes.map((quote) => ({
        ...quote,
        price: (quote.side === "BUY" ? 60_000 - 6 * away : 60_000 + 6 * away).toFixed(1),
      }));
      const markets = { ...frame.status.markets, btcusdc: { ...market, quotes } };
      return { ...frame, status: { ...frame.status, markets } };
    };
    const marks = async (): Promise<readonly number[]> => {
      const texts = (await canvasTexts(page, ".price")).map(({ text }) => plain(text));
      const prices = texts.filter((text) => /^\d{5}(\.\d+)?$/.test(text)).map(Number);
      return [Math.min(...prices), Math.max(...prices)];
    };
    /** Frames go on, since the charts are drawn once a second. */
    const next = async (): Promise<readonly number[]> => {
      for (let times = 0; times < 4; times++) cockpit.frame(ID, bot.next());
      return marks();
    };
    const steps = 200;
    await expect
      .poll(async () => (await next())[0], BROWSER_TIMEOUT)
      .toBeLessThan(60_000 - 6 * away + steps);
    expect((await marks())[1]).toBeGreaterThan(60_000 + 6 * away - steps);
    away = 1;
    for (let times = 0; times < 3; times++) {
      await next();
      await page.waitForTimeout(1_100);
    }
    expect((await marks())[0]).toBeLessThan(60_000 - 6 * 90 + steps);
  });

  it("previews a value while it is typed, and forgets the preview of the one before", async () => {
    await opened();
    await sent(2);
    cockpit.answer = () => ({ ok: true, data: { difference: sampleDifference("preview") } });
    await button("Parameters").click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.locator(".preview").innerText()).toBe(
      "Change a value to see here what it would do.",
    );
    await dialog.getByLabel("riskAversion").fill("0.1");
    await expect
      .poll(() => dialog.locator(".preview tbody tr").first().innerText(), BROWSER_TIMEOUT)
      .toContain("0.1");
    await dialog.getByLabel("to confirm").fill("btcusdc");
    await expect
      .poll(() => dialog.locator("[type=submit]").isEnabled(), BROWSER_TIMEOUT)
      .toBe(true);
    const atKey = await page.evaluate(`(() => {
      const input = document.querySelector("dialog .parameters input");
      input.value = "0.12";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return [document.querySelector("dialog [type=submit]").disabled,
        document.querySelector("dialog .preview").innerText];
    })()`);
    expect(atKey).toEqual([true, "Asking the bot what this would do …"]);
    await expect
      .poll(() => cockpit.posts.map(({ body }) => body.request), BROWSER_TIMEOUT)
      .toEqual(
        [0.1, 0.12].map((value) => ({
          command: "set",
          changes: [{ path: "markets.btcusdc.params.riskAversion", value }],
          preview: true,
          save: false,
        })),
      );
    await expect
      .poll(() => dialog.locator("[type=submit]").isEnabled(), BROWSER_TIMEOUT)
      .toBe(true);
  });

  it("leaves fills to their own table, which names the level of each, and not to the notices", async () => {
    await opened();
    const [bot] = await sent(40);
    const { atMs } = bot;
    bot.notices.push(
      { atMs, level: "info", text: "fill marketId=btcusdc side=SELL price=60020.1" },
      { atMs, level: "warn", text: "fill marketId=btcusdc is not explained" },
      { atMs, level: "info", text: "halted" },
    );
    const frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    expect(await page.locator(".notices li .level").allInnerTexts()).toEqual([
      "○ note",
      "◐ warning",
    ]);
    expect(await page.locator(".fills tbody tr td:last-child").first().innerText()).toBe(
      "maker, level 0",
    );
  });

  it("offers to resume only what is halted", async () => {
    await opened();
    const [bot] = await sent(2);
    const areEnabled = async () => [
      await button("Resume").isEnabled(),
      await button("Resume all").isEnabled(),
    ];
    expect(await areEnabled()).toEqual([false, false]);
    bot.halts.set("ethusdc", { name: "manual", why: "news at eight" });
    let frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    expect(await areEnabled()).toEqual([false, true]);
    bot.halts.set("btcusdc", { name: "manual", why: "news at eight" });
    frame = bot.next();
    cockpit.frame(ID, frame);
    await shown(frame);
    expect(await areEnabled()).toEqual([true, true]);
  });

  it("says that the connection is lost, and takes it up again by itself", async () => {
    await opened();
    await sent(2);
    cockpit.disconnect();
    await expect
      .poll(() => page.locator(".trouble").innerText(), BROWSER_TIMEOUT)
      .toMatch(/The page tries again in \d s\.$/);
    await expect.poll(() => text("#connection"), BROWSER_TIMEOUT).toBe("● live");
    expect(await page.locator(".trouble").isVisible()).toBe(false);
  });

  it("takes the token out of the address, and says how to get another link once it is used up", async () => {
    await opened();
    await expect.poll(() => text("#connection"), BROWSER_TIMEOUT).toBe("● live");
    expect(page.url()).toBe(`http://127.0.0.1:${cockpit.port}/`);
    const other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(cockpit.link);
    await expect
      .poll(() => stranger.locator(".trouble").innerText(), BROWSER_TIMEOUT)
      .toContain("marketwright cockpit FILE prints another");
    await other.close();
    await page.reload();
    await expect.poll(() => text("#connection"), BROWSER_TIMEOUT).toBe("● live");
  });

  it("names a bot whose frames it cannot show, instead of failing", async () => {
    await opened();
    const frame = new SampleBot().next();
    const { config, account, phase } = frame.status;
    cockpit.list([{ id: ID, config, account, phase, control: true }]);
    const { streams: _, ...status } = frame.status;
    cockpit.frame(ID, { ...frame, status } as unknown as Frame);
    await expect
      .poll(() => text(".bots-table tbody"), BROWSER_TIMEOUT)
      .toContain("its frames are of another version than this page");
    expect(complaints).toEqual([]);
  });

  it("says that no bot runs, and how to start one", async () => {
    await opened();
    await expect
      .poll(() => text(".bots .empty"), BROWSER_TIMEOUT)
      .toBe("No bot of this user is running. Start one: marketwright run FILE, or npm start.");
  });

  it("touches nothing but the ages when a frame repeats, and moves nothing when figures change", async () => {
    await opened();
    const [bot, frame] = await sent(20);
    // Frames go on all the while: the page would say how old the last one is.
    let { turn } = frame.status;
    const repeating = setInterval(() => {
      turn++;
      cockpit.frame(ID, { ...frame, status: { ...frame.status, turn } });
    }, 100);
    try {
      await page.evaluate(observeChanges);
      const later = turn + 5;
      await expect
        .poll(
          () => page.evaluate('Number(document.querySelector("article").dataset.turn)'),
          BROWSER_TIMEOUT,
        )
        .toBeGreaterThanOrEqual(later);
      expect(await page.evaluate("window.changed")).toEqual([]);
    } finally {
      clearInterval(repeating);
    }
    for (let times = 0; times < 60; times++) {
      const next = bot.next();
      cockpit.frame(ID, { ...next, status: { ...next.status, turn: 90_000 + times } });
    }
    await page.locator('article[data-turn="90059"]').waitFor();
    expect(await page.evaluate("window.shifted")).toEqual([]);
  });

  it("can be used by the keyboard: markets, charts, tables, theme", async () => {
    await opened();
    const [bot] = await sent(8);
    await page.getByRole("link", { name: "ethusdc" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => text(".market h2"), BROWSER_TIMEOUT).toBe("ethusdc");
    cockpit.frame(ID, bot.next());
    await page.locator(".price .uplot").focus();
    await page.keyboard.press("End");
    await expect.poll(() => text(".price .tip"), BROWSER_TIMEOUT).toMatch(/mid\s*29\d\d/);
    await page.locator(".price summary").focus();
    await page.keyboard.press("Enter");
    await expect
      .poll(() => page.locator(".price details tbody tr").count(), BROWSER_TIMEOUT)
      .toBeGreaterThan(2);
    await page.locator("#theme").focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    await page.reload();
    expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  });

  it("has landmarks, headings in order, captions and heads of tables, and names of controls", async () => {
    await opened();
    await sent(8);
    expect(await page.evaluate(faultsOfStructure)).toEqual([]);
  });

  it("tells a screen reader of a halt, and not of each figure", async () => {
    await opened();
    const [bot] = await sent(4);
    const said = () => text("#announcements");
    expect(await said()).toBe("");
    bot.halts.set("btcusdc", { name: "manual", why: "news at eight" });
    cockpit.frame(ID, bot.next());
    await expect
      .poll(said, BROWSER_TIMEOUT)
      .toBe("desk-btc: btcusdc halted, manual: news at eight.");
  });
});

/** Runs in the page: counts the pixels of each chart that have the colour of a line. */
const chartsDrawn = `[...document.querySelectorAll(".chart")].map((chart) => {
  const canvas = chart.querySelector("canvas");
  if (canvas === null) return 0;
  const names = ["c-ink", "c-accent", "c-buy", "c-sell", "p-spread", "p-fees", "p-inventory"];
  const inks = names.map((name) => {
    const probe = chart.appendChild(document.createElement("i"));
    probe.className = name;
    const channels = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
    probe.remove();
    return channels;
  });
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let inked = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && inks.some((ink) => [0, 1, 2].every((i) => Math.abs(data[at + i] - ink[i]) < 8))) inked++;
  return inked;
})` as unknown as () => number[];

/** Runs in the page: keeps what changes in it, and by how much its parts are moved. */
const observeChanges = `(() => {
  window.changed = [];
  window.shifted = [];
  new MutationObserver((records) => {
    for (const { type, target, attributeName } of records) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      // Charts are drawn on canvases, and their cursors lie over them.
      if (attributeName === "data-turn" || element?.closest(".chart") !== null) continue;
      window.changed.push(type + " " + (attributeName ?? "") + " " + element.outerHTML.slice(0, 120));
    }
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries())
      for (const { node } of sources) window.shifted.push((node?.outerHTML ?? node?.data ?? "").slice(0, 160));
  }).observe({ type: "layout-shift", buffered: false });
})()`;

/** Runs in the page: what a screen reader could not name or find. */
const faultsOfStructure = `(() => {
  const faults = [];
  const shown = (element) => element.getClientRects().length > 0;
  for (const name of ["header", "main", "footer", "nav"])
    if (document.querySelector(name) === null) faults.push("no " + name);
  let before = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
    if (!shown(heading)) continue;
    const level = Number(heading.tagName[1]);
    if (before > 0 && level > before + 1) faults.push("heading " + heading.textContent + " skips a level");
    before = level;
  }
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  for (const table of document.querySelectorAll("table")) {
    if (table.caption === null) faults.push("a table without a caption");
    for (const cell of table.querySelectorAll("th")) if (cell.scope === "") faults.push("a head without a scope: " + cell.textContent);
  }
  for (const control of document.querySelectorAll("button, select, input, a, summary")) {
    const named = control.getAttribute("aria-label") ?? control.textContent.trim();
    const labelled = control.labels !== undefined && control.labels !== null && control.labels.length > 0;
    if (named === "" && !labelled) faults.push("without a name: " + control.outerHTML.slice(0, 80));
  }
  for (const named of document.querySelectorAll("[aria-labelledby]"))
    if (document.getElementById(named.getAttribute("aria-labelledby")) === null) faults.push("no label " + named.outerHTML.slice(0, 80));
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push("id twice: " + id);
  return faults;
})()` as unknown as () => string[];
