import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { captureCli, startCli } from "./captured-cli.js";
import { CommandedExchange } from "./commanded-exchange.js";

const exchange = new CommandedExchange();

describe("a bot that is refused, from the command line", () => {
  it("ends with exit code 2 on a size that is off the exchange's grid, and on a market that is not there", async () => {
    const off = exchange.bot({ params: "{ halfSpreadBps: 3, sizeBase: 0.0205 }" });
    expect(await captureCli(["run", off.file, "--json"], off.env)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("markets.btcusdc.params.sizeBase"),
    });
    const limit = exchange.bot({ limits: "{ maxOrderBase: 0.1005 }" });
    expect(await captureCli(["check", limit.file, "--connect"], limit.env)).toMatchObject({
      code: 2,
      err: expect.stringContaining("0.1 or 0.101"),
    });
  });

  it("ends with exit code 1 when its metrics port, or the exchange's, is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { file, env } = exchange.bot({ extra: `metrics: { port: ${port} }` });
    expect(await captureCli(["run", file, "--json"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining(`metrics.port: is in use (got ${port})`),
    });
    expect(await captureCli(["exchange", "--port", String(port), "--rpc-port", "0"])).toMatchObject(
      {
        code: 1,
        out: "",
        err: expect.stringContaining("port is in use"),
      },
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  it("ends with exit code 1 when no exchange is there", async () => {
    const { file, env } = exchange.bot();
    const nobody = readFileSync(file, "utf8").replaceAll(String(exchange.where.port), "1");
    writeFileSync(file, nobody.replace("exchange: {", "exchange: { connectWithinMs: 0,"));
    expect(await captureCli(["run", file, "--json"], env)).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringContaining("exchange.rest: cannot reach the exchange"),
    });
  });
});

describe("a state directory", () => {
  // Another's peak would halt it, or hide its loss, and a guard would take the one bot's heartbeat
  // for the other's, which is dead.
  it("has its state for itself: another account's bot, its guard and its halt are refused there, and it is asked for by name", async () => {
    const first = exchange.bot();
    expect((await captureCli(["run", first.file, "--for", "1s", "--json"], first.env)).code).toBe(
      0,
    );
    const second = exchange.bot({ extra: `stateDir: ${first.stateDir()}` });
    const expected = expect.stringMatching(
      /stateDir: holds the state of another account .*account\.json/,
    );
    for (const command of [["run", "--for", "1s", "--json"], ["halt"], ["guard"]]) {
      const [name, ...options] = command as [string, ...string[]];
      expect(await captureCli([name, second.file, ...options], second.env), name).toMatchObject({
        code: 2,
        err: expected,
      });
    }
    expect((await captureCli(["run", first.file, "--for", "1s", "--json"], first.env)).code).toBe(
      0,
    );
  });

  it("has its state of this exchange alone: the same account on another one is refused there, its guard too, and finds its own again", async () => {
    const { file, env, stateDir } = exchange.bot();
    expect((await captureCli(["run", file, "--for", "1s", "--json"], env)).code).toBe(0);
    const here = readFileSync(file, "utf8").replace("risk:", `stateDir: ${stateDir()}\nrisk:`);
    const path = join(exchange.folder, "mainnet.yaml");
    writeFileSync(path, "port: 0\ndomain: { chainId: 8453 }\nmarkets: { btcusdc: {} }\n");
    const mainnet = startCli(["exchange", path, "--json"]);
    const { restUrl, streamUrl } = JSON.parse(await mainnet.firstLine);
    writeFileSync(
      file,
      here.replace(exchange.where.restUrl, restUrl).replace(exchange.where.streamUrl, streamUrl),
    );
    const expected = expect.stringMatching(
      /stateDir: holds the account's state on another exchange .*chain 31337, .*exchange\.rest has chain 8453, /,
    );
    expect(await captureCli(["run", file, "--for", "1s", "--json"], env)).toMatchObject({
      code: 2,
      err: expected,
    });
    expect(await captureCli(["guard", file], env)).toMatchObject({ code: 2, err: expected });
    expect(
      await captureCli(["call", "balances", "--bot", file], env),
      "nothing was done there",
    ).toMatchObject({ code: 1 });
    mainnet.interrupt();
    await mainnet.done;
    writeFileSync(file, here);
    expect((await captureCli(["run", file, "--for", "1s", "--json"], env)).code).toBe(0);
  });
});
