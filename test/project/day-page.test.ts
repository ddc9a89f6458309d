import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadBotConfig } from "#bot/config.js";
import { buildProgram } from "#cli/program.js";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { PROJECT_ROOT } from "./checkout.js";
import { blocksOf, readPage } from "./pages.js";

const page = readPage("docs/start/a-day.md");
const PICTURES = join(PROJECT_ROOT, "docs/start/pictures");
const pictures = readdirSync(PICTURES);
const commands = blocksOf(page, "sh").flatMap(({ text }) =>
  [...text.matchAll(/^marketwright ([^|\n]+)/gm)].map(([, words = ""]) => words.trim().split(" ")),
);

describe("docs/start/a-day.md", () => {
  it("shows each picture of its folder, and no other", () => {
    const named = [...page.text.matchAll(/\]\(pictures\/([\w.-]+)\)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(5);
    expect([...named].sort()).toEqual([...pictures].sort());
  });

  it("shows pictures that load quickly: at most three of pixels, each below 150 kB", () => {
    const shots = pictures.filter((name) => !name.endsWith(".svg"));
    expect(shots.length).toBeLessThanOrEqual(3);
    const large = pictures.filter((name) => statSync(join(PICTURES, name)).size > 150_000);
    expect(large).toEqual([]);
  });

  it("shows nothing of the machine that it was made on, and no secret", () => {
    const texts = pictures
      .filter((name) => name.endsWith(".svg"))
      .map((name) => readFileSync(join(PICTURES, name), "utf8"));
    for (const text of [page.text, ...texts])
      expect(text).not.toMatch(/\/tmp\/|\/root\/|\/work\/|#token=\w/);
    // A key has 64 digits, as hashes of orders and transactions do: none of them is in the page.
    expect(page.text).not.toMatch(/\b0x[0-9a-f]{64}\b/i);
  });

  it("has an output or a picture in each part that the script writes", () => {
    const parts = page.text.matchAll(
      /<!-- ([\w ]+): written by npm run day-pictures -->\n([\s\S]*?)<!-- end of \1 -->/g,
    );
    const names = [...parts].map(([, name = "", part = ""]) => {
      expect(part).toMatch(/```text\n.+|!\[.+\]\(pictures\//);
      return name;
    });
    expect(names.length).toBeGreaterThan(15);
    expect(page.text.split("<!-- ").length - 1).toBe(2 * names.length);
  });

  it("shows commands that the program has, with their options", async () => {
    const program = await buildProgram({
      env: {},
      stdout: { write: () => undefined, on: () => undefined, off: () => undefined },
      stderr: { write: () => undefined, on: () => undefined, off: () => undefined },
      runtime: createLiveRuntime(),
      interrupted: () => new Promise(() => {}),
      script: "",
    });
    expect(commands.length).toBeGreaterThan(10);
    for (const words of commands) {
      let command = program.commands.find((each) => each.name() === words[0]);
      command = command?.commands.find((each) => each.name() === words[1]) ?? command;
      const known = command?.options.map(({ long }) => long) ?? [];
      const used = words.filter((word) => word.startsWith("--"));
      expect({ words, command: command?.name() }).not.toMatchObject({ command: undefined });
      expect({ words, unknown: used.filter((option) => !known.includes(option)) }).toEqual({
        words,
        unknown: [],
      });
    }
  });

  it("runs a bot and an exchange of files that are accepted", () => {
    const env = { TELEGRAM_TOKEN: "123456:AAtelegram-token-of-the-tests-1" };
    const bot = join(PROJECT_ROOT, "docs/examples/day.yaml");
    const config = loadBotConfig(bot, env, { key: "unused" });
    const exchange = readFileSync(join(PROJECT_ROOT, "docs/examples/day-exchange.yaml"), "utf8");
    const { markets } = parseExchangeConfig(parse(exchange));
    expect(Object.keys(config.markets)).toEqual(Object.keys(markets));
  });
});
