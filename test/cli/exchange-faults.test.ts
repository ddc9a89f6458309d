import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadExchangeConfig } from "#cli/load-exchange-config.js";
import { faultShape } from "#simulator/fault-shape.js";
import { hasPythonModules, pythonEnv } from "../foreign/libraries.js";
import { PROJECT_ROOT } from "../project/checkout.js";
import { blocksOf, codesOf, readPage, tableOf } from "../project/pages.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";

const page = readPage("docs/reference/exchange-faults.md");
const file = join(mkdtempSync(join(tmpdir(), "mw-")), "exchange.yaml");
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe("docs/reference/exchange-faults.md, its commands in their order", () => {
  const [yaml] = blocksOf(page, "yaml");
  const commands = blocksOf(page, "sh").map(({ text }) => text);
  let exchange: StartedRun;
  let where: { readonly restUrl: string; readonly faultsUrl: string };

  /** Runs a block of the page on this exchange. */
  async function run(block: number): Promise<readonly string[]> {
    const command = (commands[block] ?? "exit 1")
      .replaceAll("http://127.0.0.1:8621/faults", where.faultsUrl)
      .replaceAll("http://127.0.0.1:8620/v1", where.restUrl);
    const { stdout } = await promisify(execFile)("bash", ["-ec", command], {
      cwd: PROJECT_ROOT,
      env: pythonEnv(),
    });
    return stdout.replaceAll("}{", "}\n{").split("\n");
  }

  beforeAll(async () => {
    writeFileSync(file, yaml?.text ?? "");
    exchange = startCli(["exchange", file, "--port", "0", "--faults-port", "0", "--json"]);
    where = JSON.parse(await exchange.firstLine);
  });
  afterAll(async () => {
    exchange.interrupt();
    expect(await exchange.done).toMatchObject({ code: 0 });
  });

  it("start an exchange that says so, with the fault of its file", async () => {
    expect(exchange.said()).toContain(
      `*** FAULTS ARE ON: this exchange fails on purpose: answer-lost (0.05); change them at ${where.faultsUrl} ***\n`,
    );
    expect(await (await fetch(where.faultsUrl)).json()).toMatchObject({
      faults: [{ kind: "answer-lost", probability: 0.05, endpoints: ["POST /v1/order"] }],
    });
  });

  it.skipIf(!hasCurl)("add a fault for ten seconds, end all, and add another", async () => {
    expect(JSON.parse((await run(0))[0] ?? "")).toMatchObject({
      kind: "stream-stalled",
      forMs: 10_000,
      state: "active",
    });
    const [ended = "", added = ""] = await run(1);
    expect(JSON.parse(ended).faults).toHaveLength(2);
    expect(JSON.parse(added)).toMatchObject({ kind: "storm-5xx", actedShare: 0 });
  });

  it.skipIf(!hasCurl || !hasPythonModules("eth_account"))(
    "show a bot of another author that dies of a gateway's page and leaves an order",
    async () => {
      await expect(run(2)).rejects.toThrow("JSONDecodeError");
      const [book = ""] = await run(3);
      expect(JSON.parse(book).asks).toContainEqual(["80000", "0.021"]);
    },
  );
});

describe("docs/reference/exchange-faults.md, its tables", () => {
  const forms = faultShape.options.map(({ shape }) => shape);

  it("have every kind with the keys of its own", () => {
    const common = [
      "kind",
      "probability",
      "fromMs",
      "forMs",
      "endpoints",
      "streams",
      "interface",
      "accounts",
    ];
    const own = forms.map((shape) => [
      shape.kind.value,
      Object.keys(shape).filter((key) => !common.includes(key)),
    ]);
    const listed = tableOf(page, "kind").map(([kind = "", , keys = ""]) => [
      codesOf(kind)[0],
      codesOf(keys),
    ]);
    expect(listed).toEqual(own);
    expect(tableOf(page, "key").flatMap(([key = ""]) => codesOf(key))).toEqual(common.slice(1));
  });

  it("have the defaults of the code", () => {
    for (const [kind = "", , keys = ""] of tableOf(page, "kind")) {
      const read: Readonly<Record<string, unknown>> = faultShape.parse({ kind: codesOf(kind)[0] });
      for (const [, key = "", value] of keys.matchAll(/`(\w+)`: ([^,]+)/g)) {
        const held = read[key] as number | { readonly min: number; readonly max: number };
        expect(typeof held === "object" ? `${held.min} to ${held.max}` : String(held)).toBe(value);
      }
    }
  });
});

describe("faults in an exchange's file", () => {
  const messageOf = (faults: string): string => {
    writeFileSync(file, `markets: { btcusdc: {} }\nfaults: ${faults}\n`);
    try {
      loadExchangeConfig(file);
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };

  it.each([
    ["{ list: [{ kind: answers-lost }] }", ["faults.list.0.kind", "answers-lost"]],
    ["{ list: [{ kind: storm-429, retryAfter: 1 }] }", ["faults.list.0.retryAfter", "unknown key"]],
    [
      "{ list: [{ kind: answer-lost, endpoints: [POST /v1/ordr] }] }",
      ["faults.list.0.endpoints.0", "line 2", "did you mean POST /v1/order?"],
    ],
    [
      "{ list: [{ kind: frame-lost, streams: [btcusdc@dept] }] }",
      ["faults.list.0.streams.0", "did you mean btcusdc@depth?"],
    ],
    ["{ adminPort: 70000 }", ["faults.adminPort", "70000", "65535"]],
  ])("refuses %s with its path", (faults, parts) => {
    for (const part of parts) expect(messageOf(faults)).toContain(part);
  });

  it("opens nothing and says nothing without faults", async () => {
    writeFileSync(file, "port: 0\nmarkets: { btcusdc: {} }\n");
    const run = startCli(["exchange", file, "--json"]);
    expect(JSON.parse(await run.firstLine)).not.toHaveProperty("faultsUrl");
    expect(run.said()).not.toContain("FAULTS");
    run.interrupt();
    expect((await run.done).code).toBe(0);
  });

  it("refuses a fault of a dialect that the exchange does not speak, since it would strike nothing", async () => {
    const fault = "{ kind: answer-lost, interface: binance-usdm }";
    writeFileSync(file, `port: 0\nmarkets: { btcusdc: {} }\nfaults: { list: [${fault}] }\n`);
    const { code, err } = await captureCli(["exchange", file]);
    expect([code, err]).toEqual([2, expect.stringContaining("faults.list.0.interface")]);
  });

  it("refuses a port of the command line that is none", async () => {
    const { code, err } = await captureCli(["exchange", file, "--faults-port", "x"]);
    expect([code, err]).toEqual([2, expect.stringContaining("--faults-port")]);
  });
});
