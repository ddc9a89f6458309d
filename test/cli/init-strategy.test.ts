import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../project/checkout.js";
import { captureCli } from "./captured-cli.js";

const KEY = { MARKETWRIGHT_KEY: `0x${"17".repeat(32)}` };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "init-strategy-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (...path: string[]): string => readFileSync(join(folder, ...path), "utf8");

describe("init --strategy with a folder", () => {
  it("writes a repository whose bot is accepted, so that its author begins with what runs", async () => {
    const mine = join(folder, "My maker!");
    const written = await captureCli(["init", "--strategy", mine]);
    expect(written).toMatchObject({ code: 0, err: "" });
    expect(written.out).toContain(`npm install --save-dev ${PROJECT_ROOT.replace(/\/$/, "")}\n`);
    const names = readdirSync(mine, { recursive: true, encoding: "utf8" }).sort();
    expect(names).toEqual([
      ".gitignore",
      "README.md",
      "backtest.yaml",
      "bot.yaml",
      "make-history.js",
      "package.json",
      "src",
      "src/index.test.ts",
      "src/index.ts",
      "tsconfig.json",
    ]);
    expect(JSON.parse(read("My maker!", "package.json"))).toMatchObject({
      name: "my-maker-",
      type: "module",
      peerDependencies: { marketwright: expect.stringMatching(/^\^\d/) },
    });
    expect(read("My maker!", "README.md")).toContain("strategy: npm:my-maker-");
    const checked = await captureCli(["check", join(mine, "bot.yaml")], KEY);
    expect([checked.code, checked.err]).toEqual([0, ""]);
    expect(checked.out).toContain("src/index.ts accepts its parameters");
  });

  it("needs versions that this package has itself: others would be a second copy of each", async () => {
    const mine = join(folder, "mine");
    await captureCli(["init", mine, "--strategy"]);
    const { dependencies, devDependencies: tools } = JSON.parse(
      readFileSync(join(PROJECT_ROOT, "package.json"), "utf8"),
    ) as Readonly<Record<string, Readonly<Record<string, string>>>>;
    const { devDependencies } = JSON.parse(read("mine", "package.json")) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(devDependencies).toMatchObject({
      rxjs: dependencies?.rxjs,
      zod: dependencies?.zod,
      typescript: tools?.typescript,
    });
  });

  it("says as JSON what it wrote and what to type next", async () => {
    const { out } = await captureCli(["init", "--strategy", join(folder, "mine"), "--json"]);
    expect(JSON.parse(out)).toMatchObject({ folder: join(folder, "mine"), name: "mine" });
  });

  it("accepts an empty folder, and refuses one that holds something, which it leaves as it is", async () => {
    mkdirSync(join(folder, "empty"));
    expect(await captureCli(["init", "--strategy", join(folder, "empty")])).toMatchObject({
      code: 0,
    });
    mkdirSync(join(folder, "full"));
    writeFileSync(join(folder, "full", "notes.txt"), "mine");
    const refused = await captureCli(["init", "--strategy", join(folder, "full")]);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(/--strategy: is not empty: it holds notes\.txt .*an empty one/);
    expect(readdirSync(join(folder, "full"))).toEqual(["notes.txt"]);
  });

  it.each([
    ["a file", ["--strategy", "FILE"], /--strategy: is not a folder/],
    [
      "options of a bot's file",
      ["--strategy", "NEW", "--risk", "bold"],
      /--risk: does not go with/,
    ],
    ["a folder without letters", ["--strategy", "DOTS"], /cannot be the name of a package/],
  ])("refuses %s, and writes nothing", async (_what, args, expected) => {
    writeFileSync(join(folder, "file"), "");
    const paths: Readonly<Record<string, string>> = { FILE: "file", NEW: "new", DOTS: "..." };
    const written = args.map((arg) => (arg in paths ? join(folder, paths[arg] ?? "") : arg));
    const { code, err } = await captureCli(["init", ...written]);
    expect([code, err]).toEqual([2, expect.stringMatching(expected)]);
    expect(readdirSync(folder)).toEqual(["file"]);
  });

  it("takes a misspelt built-in strategy for one of a bot's file, and makes no folder of that name", async () => {
    const args = ["init", "--strategy", "laddder", "--exchange", "http://127.0.0.1:1/v1"];
    expect(await captureCli(args)).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot reach the exchange"),
    });
    expect(existsSync("laddder")).toBe(false);
  });
});
