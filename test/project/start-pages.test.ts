import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { docsPages, readPage } from "./pages.js";
import { Tutorial } from "./tutorial.js";

const followed: Tutorial[] = [];

afterAll(async () => {
  for (const tutorial of followed) await tutorial.dispose();
});

/** Follows a page and returns the folder that the reader then has. */
async function follow(path: string): Promise<string> {
  const tutorial = new Tutorial(readPage(`docs/${path}`));
  followed.push(tutorial);
  await tutorial.follow();
  return tutorial.folder;
}

// Most of their time is waiting for markets: they go on beside each other.
describe.concurrent("docs/start, followed from an empty folder,", () => {
  // test/deploy/deploy-page.test.ts follows the page that needs a server. `npm run day-pictures`
  // follows the day, which test/project/day-page.test.ts holds.
  const others = ["start/a-day.md", "start/deploy.md"];
  const pages = docsPages().filter((path) => path.startsWith("start/") && !others.includes(path));

  it("has three tutorials", () => {
    expect(pages).toEqual([
      "start/first-backtest.md",
      "start/first-bot.md",
      "start/first-strategy.md",
    ]);
  });

  it("leads to the bot, halted and stopped, of first-bot.md", async () => {
    const folder = await follow("start/first-bot.md");
    expect(readFileSync(join(folder, "key.txt"), "utf8")).toMatch(/^0x[0-9a-f]{64}\n$/);
  });

  it("leads to the strategy of first-strategy.md, on paper and live", async () => {
    const folder = await follow("start/first-strategy.md");
    expect(readFileSync(join(folder, "wrong.yaml"), "utf8")).toContain("skewBps: -2");
  });

  it("leads to the reports of first-backtest.md, which quoted", async () => {
    const folder = await follow("start/first-backtest.md");
    for (const report of ["report", "report-wide"])
      expect(readFileSync(join(folder, report, "report.html"), "utf8")).toContain("<html");
  });
});
