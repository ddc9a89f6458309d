import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { captureCli, type StartedRun, startCli } from "../cli/captured-cli.js";
import { until } from "../cli/until.js";
import { PROJECT_ROOT } from "./checkout.js";
import { blocksOf, readPage } from "./pages.js";

const page = readPage("docs/guides/wallets.md");
const shellLines = blocksOf(page, "sh").flatMap(({ text }) => text.trim().split("\n"));
const [program = ""] = blocksOf(page, "js").map(({ text }) => text);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "wallets-")));

let exchange: StartedRun;
let where: {
  readonly restUrl: string;
  readonly rpcUrl: string;
  readonly chainId: number;
  readonly dealer: string;
  readonly token: string;
};
beforeAll(async () => {
  const file = join(folder, "exchange.yaml");
  writeFileSync(file, "port: 0\nchain: { rpc: { port: 0 } }\nmarkets: { btcusdc: {} }\n");
  exchange = startCli(["exchange", file, "--json"]);
  const { chain, restUrl } = JSON.parse(await exchange.firstLine);
  where = { restUrl, ...chain };
});
afterAll(async () => {
  exchange.interrupt();
  await exchange.done;
  rmSync(folder, { recursive: true, force: true });
});

it("takes a key from nothing to a deposit and an operator, command by command as the page has them", async () => {
  const env: Record<string, string> = {};
  const said: Record<string, string> = {};
  symlinkSync(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "wallet.mjs"), program);
  for (const line of shellLines) {
    const [first = "", second = "", ...rest] = line.split(" ");
    if (line === "npx marketwright exchange") continue;
    if (first === "export") env[second.split("=")[0] ?? ""] = second.split("=")[1] ?? "";
    else if (first === "node") {
      const options = {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env, REST: where.restUrl, RPC: where.rpcUrl },
      };
      said[line] = (await promisify(execFile)(process.execPath, [second], options)).stdout;
    } else {
      expect([first, second]).toEqual(["npx", "marketwright"]);
      const { code, out, err } = await captureCli([...rest, "--rest", where.restUrl], env);
      expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
      said[line] = out;
    }
  }
  expect(said["node wallet.mjs"]).toBe(
    "in the wallet: 1000000000\ncredit at the dealer: 99400000000\noperator: true\n",
  );
  expect(JSON.parse(said["npx marketwright call balances"] ?? "").balances).toHaveProperty(
    "primaryCreditAmount",
  );
  // The exchange follows the blocks: what the wallet did is in its books a moment later.
  const balances = async () =>
    JSON.parse((await captureCli(["call", "balances", "--rest", where.restUrl], env)).out).balances;
  await until(balances, ({ primaryCreditAmount }) => primaryCreditAmount === "99400");
});

it("says where the addresses are as they are told", async () => {
  const read = async (path: string) =>
    JSON.parse(await (await fetch(`${where.restUrl}/${path}`)).text());
  const { eip712, markets } = await read("exchangeInfo");
  expect([eip712.chainId, eip712.verifyingContract]).toEqual([where.chainId, where.dealer]);
  expect(markets[0].perpetualContractAddress).toMatch(/^0x[0-9a-fA-F]{40}$/);
  expect((await read("contracts")).dealerLens).toMatch(/^0x[0-9a-fA-F]{40}$/);
});
