import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ecdsaScheme } from "#core/signing.js";
import type { Hex } from "#core/units.js";
import { LocalServer } from "../exchange/local-server.js";
import { captureCli, type StartedRun, startCli } from "./captured-cli.js";

const folder = mkdtempSync(join(tmpdir(), "mw-"));
const KEY: Hex = `0x${"2e".repeat(32)}`;
const env = { BOT_KEY: KEY, XDG_RUNTIME_DIR: folder };
let exchange: StartedRun;
let where: { readonly restUrl: string; readonly streamUrl: string };

beforeAll(async () => {
  const path = join(folder, "exchange.yaml");
  writeFileSync(
    path,
    "port: 0\nmarkets:\n  btcusdc: { tickSize: 0.1, stepSize: 0.001, flow: { kind: synthetic, startPriceQuote: 60000 } }\n",
  );
  exchange = startCli(["exchange", path, "--json"]);
  where = JSON.parse(await exchange.firstLine);
});

afterAll(async () => {
  exchange.interrupt();
  await exchange.done;
});

/** A bot's file for an exchange at these addresses. */
function bot({
  rest = where.restUrl,
  stream = where.streamUrl,
}: {
  readonly rest?: string;
  readonly stream?: string;
}): string {
  const file = join(mkdtempSync(join(folder, "bot-")), "bot.yaml");
  writeFileSync(
    file,
    `exchange: { rest: "${rest}", stream: "${stream}" }
account: { keyEnv: BOT_KEY }
quotes: { timeInForce: GTT }
markets: { btcusdc: { strategy: ladder, params: { halfSpreadBps: 3, sizeBase: 0.02 } } }
risk: { maxDrawdownQuote: 500 }
`,
  );
  return file;
}

describe("a REST address that is wrong ends a run, a check and an explanation with exit code 1 and one message that names it", () => {
  it.each([["run"], ["check", "--connect"], ["explain"]])(
    "%s: there is no interface at this path",
    async (command, ...options) => {
      const rest = where.restUrl.replace("/v1", "/v2");
      const { code, out, err } = await captureCli([command, bot({ rest }), ...options], env);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      const message = err.trimEnd().split("\n").at(-1);
      expect(message).toMatch(
        /^marketwright: exchange\.rest: the address has no interface of the exchange \(HTTP 404\): /,
      );
      expect(message).toContain(
        `(got "${rest}"); expected the REST address with its version prefix, such as ${new URL(rest).origin}/v1`,
      );
    },
  );

  it("check: a gateway that has lost its exchange", async () => {
    const gateway = await LocalServer.start();
    gateway.onRequest = (_, response) => response.writeHead(502).end("bad gateway");
    const rest = `http://${gateway.host}/v1`;
    const { code, err } = await captureCli(["check", bot({ rest }), "--connect"], env);
    await gateway.stop();
    expect(code).toBe(1);
    expect(err).toBe(
      `marketwright: exchange.rest: the exchange answers with an error: GET /v1/time: HTTP 502: bad gateway (got "${rest}"); expected an exchange that is up and answers\n`,
    );
  });
});

describe("check --connect opens the streams as the bot would", () => {
  const check = async (file: string, ...options: string[]) => {
    const { code, out } = await captureCli(["check", file, "--connect", "--json", ...options], env);
    const answer: { ok: boolean; findings: { level: string; subject: string; text: string }[] } =
      JSON.parse(out);
    return {
      code,
      ok: answer.ok,
      streams: answer.findings.filter(({ subject }) => subject.startsWith("stream ")),
    };
  };

  it("and says what came of each, before and after the account is registered", async () => {
    const file = bot({});
    expect(await check(file)).toMatchObject({
      code: 0,
      streams: [
        {
          level: "ok",
          subject: "stream btcusdc",
          text: expect.stringMatching(
            /^a book of \d+ bids and \d+ asks at sequence \d+ came after/,
          ),
        },
        {
          level: "warning",
          subject: "stream account",
          text: expect.stringContaining("not registered"),
        },
      ],
    });
    const { address } = ecdsaScheme.signer(KEY);
    expect(
      await captureCli(["call", "registerAccount", `account=${address}`, "--bot", file], env),
    ).toMatchObject({ code: 0, err: "" });
    expect((await check(file)).streams[1]).toMatchObject({
      level: "ok",
      text: expect.stringMatching(/^signed by the account, open after/),
    });
  });

  it("and fails on a path where there are none: the address, the answer, the key of the file and what is right", async () => {
    const stream = where.streamUrl.replace("/v1", "/v2");
    const { code, ok, streams } = await check(bot({ stream }));
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(streams).toHaveLength(2);
    for (const { level, text } of streams) {
      expect(level).toBe("error");
      expect(text).toContain(`exchange.stream: no stream at ${stream}/v1/`);
      expect(text).toMatch(
        /HTTP 40\d .*; expected the streams' address with its version prefix, such as ws:\/\/127\.0\.0\.1:\d+\/v1$/,
      );
      expect(
        text.endsWith(`such as ${new URL(stream).origin}/v1`),
        "the host that the file names",
      ).toBe(true);
      expect(text).not.toContain("signature");
    }
  });

  it("and fails on a host where nobody is, and on one that opens a stream and says nothing", async () => {
    const nowhere = await check(bot({ stream: "ws://127.0.0.1:1/v1" }));
    expect(nowhere.code).toBe(1);
    expect(nowhere.streams[0].text).toMatch(
      /exchange\.stream: no stream at ws:\/\/127\.0\.0\.1:1\/v1\/multiple: .*ECONNREFUSED/,
    );

    const mute = await LocalServer.start();
    const stream = `ws://${mute.host}/v1`;
    const silent = await check(bot({ stream }), "--within", "300ms");
    await mute.stop();
    expect(silent.code).toBe(1);
    expect(silent.streams[0]).toMatchObject({
      level: "error",
      text: `no book within 300 ms: exchange.stream: nothing came from ${stream}`,
    });
  });
});
