import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { blocksOf, readPage } from "../project/pages.js";
import { builtCommand } from "../support/built-command.js";
import { captureCli } from "./captured-cli.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const example = (name: string) =>
  fileURLToPath(new URL(`../../config/${name}.yaml`, import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "marketwright-check-"));

function bot(text: string): string {
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "http://127.0.0.1:1/v1", stream: "ws://127.0.0.1:1/v1" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: GTT }
risk: { maxDrawdownQuote: 500 }
${text}`,
  );
  return path;
}

const LADDER =
  "markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }";

describe("marketwright check", () => {
  it.each(["bot", "minimal", "replay"])("takes the example config/%s.yaml", async (name) => {
    const { code, out, err } = await captureCli(["check", example(name)], env);
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("0 errors");
  });

  it("counts what it found in one and in many", async () => {
    expect((await captureCli(["check", example("minimal")], env)).out).toMatch(
      /minimal\.yaml: 0 errors, 1 warning\n$/,
    );
  });

  it("says beforehand that quotes which outlive the bot want a guard", async () => {
    const { out } = await captureCli(["check", example("minimal")], env);
    expect(out).toMatch(
      /warning .*POST_ONLY orders stay open if the bot dies: run "marketwright guard .*minimal\.yaml" beside it/,
    );
    expect((await captureCli(["check", bot(LADDER)], env)).out).not.toContain("guard");
  });

  it("prints a command that can be pasted though the path has a space", async () => {
    mkdirSync(join(folder, "my bots"));
    const path = join(folder, "my bots", "bot.yaml");
    copyFileSync(example("minimal"), path);
    const { out } = await captureCli(["check", path], env);
    expect(out).toContain(`run "marketwright guard '${path}'" beside it`);
  });

  it("takes the first example of docs/reference/reference-prices.md, and not without its reference", async () => {
    const [{ text = "" } = {}] = blocksOf(readPage("docs/reference/reference-prices.md"), "yaml");
    expect(await captureCli(["check", bot(text)], env)).toMatchObject({ code: 0, err: "" });
    const without = text.replace(/^ +reference:.*$/m, "");
    expect(without).not.toBe(text);
    const { code, err } = await captureCli(["check", bot(without)], env);
    expect(code).toBe(2);
    expect(err).toContain(
      "markets.btcusdc.reference: is missing, and the strategy quotes around a reference price; expected ",
    );
    const fair = LADDER.replace("halfSpreadBps", "fair: reference, halfSpreadBps");
    expect((await captureCli(["check", bot(fair)], env)).err).toContain(
      "markets.btcusdc.reference",
    );
  });

  it("answers machines with the account that the key is of, and never with the key", async () => {
    const { out } = await captureCli(["check", bot(LADDER), "--json"], env);
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({
      ok: true,
      connected: false,
      account: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
    });
    expect(out).not.toContain("1f1f1f");
  });

  it.each([
    [
      "an unknown strategy",
      "markets: { btcusdc: { strategy: laddder, params: {} } }",
      ["markets.btcusdc.strategy", "did you mean ladder?"],
    ],
    [
      "a strategy's unknown parameter",
      LADDER.replace("halfSpreadBps", "halfSpredBps"),
      ["markets.btcusdc.params.halfSpredBps", "did you mean halfSpreadBps?"],
    ],
    [
      "a strategy's size of zero",
      LADDER.replace("0.02", "0"),
      ["markets.btcusdc.params.sizeBase", "0"],
    ],
    ["a market twice", `${LADDER}\nmarkets: {}`, ["markets", "written twice"]],
  ])("ends with exit code 2 and one message on %s", async (_name, markets, parts) => {
    const { code, out, err } = await captureCli(["check", bot(markets)], env);
    expect(code).toBe(2);
    expect(out).toBe("");
    for (const part of parts) expect(err).toContain(part);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("ends with exit code 2 when the key's variable is not set, and when the file is not there", async () => {
    expect(await captureCli(["check", bot(LADDER)], {})).toMatchObject({
      code: 2,
      err: expect.stringContaining("account.keyEnv"),
    });
    expect(await captureCli(["check", join(folder, "none.yaml")], env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("none.yaml does not exist"),
    });
  });

  it("ends with exit code 1 when it shall connect and no exchange is there", async () => {
    const { code, err } = await captureCli(["check", bot(LADDER), "--connect"], env);
    expect(code).toBe(1);
    expect(err).toMatch(/exchange\.rest: cannot reach the exchange.*http:\/\/127\.0\.0\.1:1\/v1/);
  });

  it("keeps what a strategy's file prints off stdout, which holds one JSON object", () => {
    writeFileSync(
      join(folder, "talks.js"),
      `import { defineStrategy } from "marketwright";
import { ignoreElements } from "rxjs";
import { z } from "zod";
console.log("I am", "loaded");
export default defineStrategy({ params: z.object({}), create: () => (view$) => view$.pipe(ignoreElements()) });
`,
    );
    const args = [
      builtCommand(),
      "check",
      bot("markets: { btcusdc: { strategy: ./talks.js } }"),
      "--json",
    ];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      encoding: "utf8",
    });
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
    expect(stderr).toContain("I am loaded\n");
  });

  it("warns of what a strategy's file takes from the real clock, with its line", async () => {
    writeFileSync(
      join(folder, "mine.js"),
      `import { defineStrategy } from "marketwright";
import { ignoreElements } from "rxjs";
import { z } from "zod";
export default defineStrategy({ params: z.object({}), create: () => (view$) => (Date.now() > 0 ? view$.pipe(ignoreElements()) : view$.pipe(ignoreElements())) });
`,
    );
    const { code, out, err } = await captureCli(
      ["check", bot("markets: { btcusdc: { strategy: ./mine.js } }")],
      env,
    );
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/warning .*mine\.js:4 uses Date/);
  });
});
