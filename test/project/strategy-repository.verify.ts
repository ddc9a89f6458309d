import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, folderOf, packCheckout, startIn } from "./alone-package.js";
import { type Checkout, PROJECT_ROOT } from "./checkout.js";

const QUIETLY = ["--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1"];
/** npm's messages when there is no registry to ask. */
const NO_REGISTRY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED|ERR_SOCKET_TIMEOUT/;

let checkout: Checkout;
/** Where the package is installed from its archive, as a user does. */
let home: string;
let repository: string;
let installed: Ended;

const run = (folder: string, program: string, ...args: readonly string[]): Promise<Ended> =>
  startIn(folder, program, args).ended;

/** The command, as `npx` finds it in a folder. */
const marketwright = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  run(folder, join(folder, "node_modules/.bin/marketwright"), ...args);

beforeAll(async () => {
  const packed = packCheckout();
  checkout = packed.checkout;
  home = folderOf("mw-strategy-");
  installed = await run(home, "npm", "install", ...QUIETLY, packed.tarball);
  if (installed.code !== 0) return;
  await marketwright(home, "init", "--strategy", "my-maker");
  repository = join(home, "my-maker");
}, 300_000);

afterAll(() => {
  checkout?.dispose();
  rmSync(home, { recursive: true, force: true });
});

describe("the repository of init --strategy, from the packed package", () => {
  it("installs by the command that init prints, and passes its own tests and those of the page", async (context) => {
    if (installed.code !== 0 && NO_REGISTRY.test(installed.err))
      return context.skip("npm reaches no registry");
    expect(installed.code, installed.err).toBe(0);
    // A second repository shows the same command: the archive that this one came from.
    const { next } = JSON.parse(
      (await marketwright(home, "init", "--strategy", "other", "--json")).out,
    ) as { readonly next: readonly string[] };
    const [, install = ""] = next;
    expect(install).toMatch(/^npm install --save-dev \/.*marketwright-.*\.tgz$/);
    const words = [...install.split(" ").slice(1), ...QUIETLY];
    expect(await run(repository, "npm", ...words)).toMatchObject({ code: 0 });
    for (const [name, text] of pageFiles()) writeFileSync(join(repository, "src", name), text);
    const tested = await run(repository, "npm", "test");
    expect(tested.code, `${tested.out}${tested.err}`).toBe(0);
    expect(tested.out).toMatch(/^(#|ℹ) pass 8$/m);
  });

  it("makes its market, and its backtest trades on it", async (context) => {
    if (installed.code !== 0) return context.skip("npm reaches no registry");
    expect(await run(repository, "npm", "run", "history")).toMatchObject({ code: 0 });
    const { code, out, err } = await run(repository, "npm", "run", "backtest");
    expect(code, err).toBe(0);
    expect(out).toMatch(/^[1-9]\d* fills of/m);
    expect(readdirSync(join(repository, "report"))).toContain("report.html");
  });

  it("quotes on paper and live, as a file and, packed and installed elsewhere, as a package", async (context) => {
    if (installed.code !== 0) return context.skip("npm reaches no registry");
    const exchange = await startExchange();
    try {
      const { rest, stream } = exchange;
      const file = join(repository, "bot.yaml");
      const text = readFileSync(file, "utf8")
        .replace("http://127.0.0.1:8620/v1", rest)
        .replace("ws://127.0.0.1:8620/v1", stream);
      writeFileSync(file, text);
      const paper = await marketwright(repository, "run", "bot.yaml", "--dry-run", "--for", "5s");
      expect(paper.code, paper.err).toBe(0);
      expect(paper.out).toMatch(/^orders +[1-9]\d* placed/m);
      const live = await marketwright(repository, "run", "bot.yaml", "--for", "5s");
      expect(live.code, live.err).toBe(0);
      expect(live.out).toMatch(/^orders +[1-9]\d* placed/m);
      const packed = await run(repository, "npm", "pack", "--json", "--ignore-scripts");
      const [{ filename, files }] = JSON.parse(packed.out) as [
        { filename: string; files: readonly { readonly path: string }[] },
      ];
      expect(files.map(({ path }) => path).filter((path) => path.includes("test"))).toEqual([]);
      const archive = join(repository, filename);
      expect(await run(home, "npm", "install", ...QUIETLY, archive)).toMatchObject({ code: 0 });
      writeFileSync(join(home, "bot.yaml"), text.replace("./src/index.ts", "npm:my-maker"));
      const checked = await marketwright(home, "check", "bot.yaml");
      expect(checked.out, checked.err).toContain("npm:my-maker 0.1.0 accepts its parameters");
      const asPackage = await marketwright(home, "run", "bot.yaml", "--for", "5s");
      expect(asPackage.code, asPackage.err).toBe(0);
      expect(asPackage.out).toMatch(/^orders +[1-9]\d* placed/m);
    } finally {
      await exchange.stop();
    }
  });
});

/** The strategy of the first tutorial, and the tests of the page that run on node:test. */
function pageFiles(): readonly (readonly [name: string, text: string])[] {
  const read = (page: string): string => readFileSync(join(PROJECT_ROOT, "docs", page), "utf8");
  const blocks = (text: string): string[] =>
    [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((match) => match[1] ?? "");
  const strategy = blocks(read("start/first-strategy.md")).find((block) =>
    block.startsWith("// my-strategy.ts"),
  );
  const tests = blocks(read("reference/testing-strategies.md")).filter((block) =>
    block.includes('"node:test"'),
  );
  return [
    ["my-strategy.ts", strategy ?? ""],
    ...tests.map((text, at) => [`page-${at}.test.ts`, text] as const),
  ];
}

/** The embedded exchange, on free ports. */
async function startExchange(): Promise<{
  readonly rest: string;
  readonly stream: string;
  readonly stop: () => Promise<void>;
}> {
  const bin = join(home, "node_modules/marketwright/bin/marketwright.js");
  const args = [bin, "exchange", "--port", "0", "--rpc-port", "0"];
  const started = startIn(home, process.execPath, args);
  const line = await started.said(/REST (\S+), streams (\S+)/);
  return {
    rest: line[1] ?? "",
    stream: line[2] ?? "",
    stop: async () => {
      started.stop("SIGINT");
      await started.ended;
    },
  };
}
