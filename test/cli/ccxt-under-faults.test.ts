import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROJECT_ROOT } from "../project/checkout.js";
import { blocksOf, readPage } from "../project/pages.js";
import { type StartedRun, startCli } from "./captured-cli.js";

const page = readPage("docs/reference/ccxt-under-faults.md");
// The exchange is at a loopback address, whatever proxy the machine has.
const ENV = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)),
);

describe("docs/reference/ccxt-under-faults.md", () => {
  const [start = "", run = ""] = blocksOf(page, "sh").map(({ text }) => text.trim());
  const file = join(mkdtempSync(join(tmpdir(), "mw-")), "faulty.yaml");
  let exchange: StartedRun;
  let dialect: { readonly restUrl: string; readonly apiKey: string; readonly apiSecret: string };

  beforeAll(async () => {
    writeFileSync(file, blocksOf(page, "yaml")[0]?.text ?? "");
    const [, , command = "", name = ""] = start.split(" ");
    expect(name).toBe("faulty.yaml");
    exchange = startCli([command, file, "--port", "0", "--dialect-port", "0", "--json"]);
    dialect = JSON.parse(await exchange.firstLine).dialect;
  });
  afterAll(async () => {
    exchange.interrupt();
    expect(await exchange.done).toMatchObject({ code: 0 });
  });

  it("shows what a maker with ccxt believes and what is true, as its output has it", async () => {
    const [, script = "", url, key, secret] = run.split(" ");
    expect([url, key, secret]).toEqual(["http://127.0.0.1:8622", "API_KEY", "API_SECRET"]);
    const { restUrl, apiKey, apiSecret } = dialect;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script, restUrl, apiKey, apiSecret],
      { cwd: PROJECT_ROOT, env: ENV },
    );
    expect(stdout.trim()).toBe(blocksOf(page, "text")[0]?.text.trim());
  });
});
