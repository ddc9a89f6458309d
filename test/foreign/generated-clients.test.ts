import { execFile } from "node:child_process";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { EmbeddedExchange } from "#simulator/exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import {
  clientScript,
  hasNodeLibraries,
  hasPythonModules,
  libraryFile,
  libraryFolder,
  pythonEnv,
  runClient,
} from "./libraries.js";

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const execute = promisify(execFile);
const hasTypeScript = hasNodeLibraries("openapi-typescript", "openapi-fetch", "typescript", "viem");
const hasPython = hasPythonModules("openapi_python_client", "eth_account", "httpx");

let server: ExchangeServer;
let folder: string;
beforeEach(async () => {
  server = await serveExchange(
    new EmbeddedExchange(
      parseExchangeConfig({ port: 0, markets: { btcusdc: {} } }),
      createLiveRuntime(),
    ),
  );
  folder = libraryFolder();
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

/** The exchange's own description of itself, in a file, and the address that it names. */
async function describedExchange(): Promise<{ document: string; origin: string }> {
  const document = join(folder, "openapi.json");
  const text = await (await fetch(new URL("/openapi.json", server.restUrl))).text();
  writeFileSync(document, text);
  return {
    document,
    origin: (JSON.parse(text) as { servers: { url: string }[] }).servers[0]?.url ?? "",
  };
}

const ORDER = ["btcusdc", "30000.5", "0.021"];
/** A whole round of one order, as its sender sees it. */
const ROUND = {
  markets: ["btcusdc"],
  address: ADDRESS,
  registered: ADDRESS,
  placed: ["BUY", "30000.5", "0.021", true],
  best: ["30000.5", "0.021"],
  open: [true],
  cancelled: 204,
  cancelledAgain: [400, 2011],
  history: [[true, "CANCELED"]],
  netValue: "100000",
};

describe("a client generated from /openapi.json", () => {
  it.skipIf(!hasTypeScript)(
    `in TypeScript compiles, and places and cancels an order${hasTypeScript ? "" : " (skipped: test/foreign/install.sh has not run)"}`,
    async () => {
      const { document, origin } = await describedExchange();
      await execute(process.execPath, [
        libraryFile("openapi-typescript/bin/cli.js"),
        document,
        "-o",
        join(folder, "exchange.d.ts"),
      ]);
      copyFileSync(clientScript("order-round.ts"), join(folder, "order-round.ts"));
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      const options = [
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--noUncheckedIndexedAccess",
      ];
      await execute(
        process.execPath,
        [libraryFile("typescript/bin/tsc"), ...options, "order-round.ts"],
        { cwd: folder },
      ).catch(({ stdout }: { stdout: string }) => expect(stdout, "the compiler's errors").toBe(""));
      expect(
        await runClient(process.execPath, [join(folder, "order-round.js"), origin, KEY, ...ORDER]),
      ).toEqual({
        ...ROUND,
        isPair: true,
      });
    },
  );

  it.skipIf(!hasPython)(
    `in Python is generated without a warning, and places and cancels an order${hasPython ? "" : " (skipped: test/foreign/install.sh has not run, or there is no python3)"}`,
    async () => {
      const { document, origin } = await describedExchange();
      const client = join(folder, "exchange_client");
      const config = join(folder, "config.json");
      writeFileSync(config, JSON.stringify({ post_hooks: [] }));
      const options = [
        "--path",
        document,
        "--output-path",
        client,
        "--meta",
        "none",
        "--config",
        config,
        "--fail-on-warning",
      ];
      await execute("python3", ["-m", "openapi_python_client", "generate", ...options], {
        env: pythonEnv(),
      });
      const args = [clientScript("order_round.py"), origin, KEY, ...ORDER];
      expect(await runClient("python3", args, pythonEnv(folder))).toEqual(ROUND);
    },
  );
});
