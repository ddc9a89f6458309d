import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLiveRuntime } from "#core/live-runtime.js";
import { parseExchangeConfig } from "#simulator/config.js";
import { configuredExchange } from "#simulator/configured-exchange.js";
import { type ExchangeServer, serveExchange } from "#simulator/http-server.js";
import { EXCHANGE } from "../bot/recorded-run.js";
import { captureCli } from "./captured-cli.js";

const env = { MARKETWRIGHT_KEY: `0x${"1f".repeat(32)}` };
const folder = mkdtempSync(join(tmpdir(), "marketwright-check-references-"));
let server: ExchangeServer;

beforeAll(async () => {
  const markets = { btcusdc: EXCHANGE.markets.btcusdc };
  server = await serveExchange(
    configuredExchange(parseExchangeConfig({ ...EXCHANGE, markets, port: 0 }), createLiveRuntime()),
  );
  source(
    "steady.ts",
    "timer(0, 100, scheduler).pipe(map(() => ({ bid: 60599, ask: 60601, timeMs: runtime.clock.nowMs() - 40 })))",
  );
  source("broken.ts", 'throwError(() => new Error("the feed is closed"))');
  source(
    "hasty.ts",
    "timer(0, 100, scheduler).pipe(map(() => ({ bid: Date.now() && 1, ask: 2 })))",
  );
  writeFileSync(join(folder, "strategy.ts"), "export default 5;");
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function source(name: string, price$: string): void {
  writeFileSync(
    join(folder, name),
    `import { defineReferenceSource } from "marketwright";
import { map, throwError, timer } from "rxjs";
import { z } from "zod";
export default defineReferenceSource({
  params: z.object({}),
  create: (_params, { runtime, scheduler }) => ${price$},
});
`,
  );
}

/** A bot file with these sources, of which its market uses the named ones. */
function bot(references: string, from: readonly string[]): string {
  const path = join(folder, "bot.yaml");
  writeFileSync(
    path,
    `exchange: { rest: "${server.restUrl}", stream: "${server.streamUrl}" }
account: { keyEnv: MARKETWRIGHT_KEY }
quotes: { timeInForce: GTT }
risk: { maxDrawdownQuote: 500 }
references:
${references}
markets:
  btcusdc:
    strategy: ladder
    params: { halfSpreadBps: 3, sizeBase: 0.02 }
    reference: { from: [${from.join(", ")}], maxDeviationBps: 500 }
`,
  );
  return path;
}

interface Checked {
  readonly code: number;
  readonly findings: readonly {
    readonly level: string;
    readonly subject: string;
    readonly text: string;
  }[];
}

async function check(path: string, ...options: readonly string[]): Promise<Checked> {
  const { code, out } = await captureCli(["check", path, "--json", ...options], env);
  return { code, findings: JSON.parse(out).findings };
}

const about = ({ findings }: Checked, name: string) =>
  findings.filter(({ subject }) => subject.startsWith(`references.${name}`));

describe("marketwright check of sources of reference prices", () => {
  it("names what cannot be used: an exchange, a file, parameters, and a source that nothing uses", async () => {
    const checked = await check(
      bot(
        `  far: { ccxt: kucoin, symbol: BTC/USDT }
  gone: { module: ./gone.ts }
  other: { module: ./strategy.ts }
  params: { module: ./steady.ts, params: { speed: 3 } }
  unused: { ccxt: binance, symbol: BTC/USDT }
  index: { index: btcusdc }
  hasty: { module: ./hasty.ts }`,
        ["far", "gone", "other", "params", "index", "hasty"],
      ),
    );
    expect(checked.code).toBe(1);
    const text = (name: string): string =>
      about(checked, name)
        .map((finding) => `${finding.level}: ${finding.text}`)
        .join("\n");
    expect(text("far")).toMatch(/^error: references\.far\.ccxt: .*on the list.*binanceusdm/);
    expect(text("gone")).toMatch(/^error: .*the source file does not exist/);
    expect(text("other")).toMatch(/^error: .*is not a source.*defineReferenceSource/);
    expect(text("params")).toMatch(/^error: references\.params\.params\.speed/);
    expect(text("unused")).toBe("warning: no market uses it");
    expect(text("index")).toMatch(/^ok: the exchange's own index price/);
    expect(text("hasty")).toMatch(/^warning: .*hasty\.ts:6 uses Date.*context\.runtime\.clock/);
  });

  it("connects, and shows the price, its age and its distance from the mid, or the reason", async () => {
    const { restUrl, streamUrl } = server;
    const checked = await check(
      bot(
        `  steady: { module: ./steady.ts }
  scaled: { module: ./steady.ts, multiplier: 0.001 }
  broken: { module: ./broken.ts }
  elsewhere: { exchange: { rest: "${restUrl}", stream: "${streamUrl}" }, market: btcusdc }`,
        ["steady", "scaled", "broken", "elsewhere"],
      ),
      "--connect",
      "--within",
      "3s",
    );
    expect(checked.code).toBe(1);
    const [steady] = about(checked, "steady");
    expect(steady.level).toBe("ok");
    expect(steady.text).toMatch(
      /^bid 60599, ask 60601 after \d+ ms, \d+ ms old by its own clock, \d+\.\d bps above btcusdc's mid$/,
    );
    const [scaled] = about(checked, "scaled");
    expect(scaled.level, "a run would halt").toBe("error");
    expect(scaled.text).toMatch(
      /: btcusdc would not count it, it is too far from this exchange's mid$/,
    );
    expect(about(checked, "broken")).toEqual([
      {
        level: "error",
        subject: "references.broken",
        text: "no price within 3000 ms: the feed is closed",
      },
    ]);
    const [elsewhere] = about(checked, "elsewhere");
    expect(elsewhere.level).toBe("ok");
    expect(elsewhere.text).toMatch(
      /^bid [\d.]+, ask [\d.]+ after \d+ ms, [\d.]+ bps (above|below)/,
    );
  });
});
