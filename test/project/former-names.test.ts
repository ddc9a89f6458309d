import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as exchangeEntry from "#exchange/index.js";
import * as strategyEntry from "../../src/index.js";
import { PROJECT_ROOT } from "./checkout.js";
import { blocksOf, readPage, tableOf } from "./pages.js";
import { createProgramFolder } from "./program-folder.js";
import { publicExports } from "./public-exports.js";

const run = promisify(execFile);

/** A program as users wrote it when these names were the only ones. */
const PROGRAM = `
import { exactLotsOfBase, Instrument, lotsOfBase, type Reason, type Seam } from "marketwright";
import {
  type Answers,
  connect,
  decimalOf,
  ExchangeStreams,
  type FilterBreach,
  type IdPages,
  idPages,
  type InTime,
  liveSeam,
  NetworkTransport,
  type OpenWord,
  type QuestionAction,
  RunError,
  readStreamName,
  streamName,
} from "marketwright/exchange";

const warnings: string[] = [];
process.on("warning", ({ name, message }) => warnings.push(\`\${name}: \${message}\`));

const btc = new Instrument({
  marketId: "btcusdc",
  tickSize: "0.1",
  stepSize: "0.001",
  creditDecimals: 6,
  paperDecimals: 18,
});
const seam: Seam = liveSeam();
liveSeam();
const transport = new NetworkTransport({
  restUrl: "http://127.0.0.1:1/v1",
  streamUrl: "ws://127.0.0.1:1/v1",
  clock: seam.clock,
});
const streams = new ExchangeStreams({ transport, seam, nowMs: () => seam.clock.nowMs() });
streams.close();
const refusal = await connect({ baseUrl: "http://127.0.0.1:1/v1", seam, retry: { tries: 1 } }).catch(
  (error: Error) => error.name,
);
transport.close();
const range: InTime = { marketId: "btcusdc", startTime: 1 };
const reason: Partial<Reason> = {};
const word: OpenWord<"NEW"> = "NEW";
const breaches: readonly FilterBreach[] = [];
const typed: readonly (Answers["time"] | QuestionAction | IdPages<string> | typeof RunError)[] = [];
const results = [
  btc.ticksOf("30000.5"),
  btc.ticksOf("30000.6"),
  btc.lotsOf("0.02"),
  btc.priceOf(300_005),
  btc.amountOf(20),
  btc.toldPriceOf(300_005),
  btc.toldAmountOf(20, 5n * 10n ** 14n),
  String(btc.paperOf(20)),
  String(btc.creditOfTickLots(6_000_100)),
  lotsOfBase(0.0209, btc),
  exactLotsOfBase(0.02, btc, "size"),
  String(decimalOf("1.50")),
  streamName({ marketId: "btcusdc", kind: "trades" }),
  readStreamName("btcusdc@trades")?.kind,
  typeof idPages,
  refusal,
  [range, reason, word, breaches, typed].length,
];
setTimeout(() => process.stdout.write(JSON.stringify({ results, warnings })), 10);
`;

const folder = createProgramFolder();
const program = join(folder.path, "program.ts");

beforeAll(() => writeFileSync(program, PROGRAM));

describe("a program written with former names", () => {
  it("still compiles in strict mode", async () => {
    const tsc = join(PROJECT_ROOT, "node_modules/.bin/tsc");
    const output = await run(tsc, ["-p", folder.path]).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(output).toBe("");
  });

  it("gets the same results, and one warning for each name, with the name to use", async () => {
    const { stdout } = await run(process.execPath, [...folder.nodeArguments, program], {
      cwd: folder.path,
      env: { ...process.env, TSX_TSCONFIG_PATH: folder.tsconfig },
    });
    const { results, warnings } = JSON.parse(stdout) as {
      readonly results: readonly unknown[];
      readonly warnings: readonly string[];
    };
    expect(results).toEqual([
      ...[300_005, 300_006, 20, "30000.5", "0.02", "30000.5", "0.0205", "20000000000000000"],
      ...["600010000", 20, 20, "1.5", "btcusdc@trades", "trades", "function"],
      ...["VenueRequestError", 5],
    ]);
    const named = [
      ["liveSeam", "createLiveRuntime"],
      ["The option seam", "runtime"],
      ["Instrument.ticksOf", "Instrument.parsePrice"],
      ["Instrument.lotsOf", "Instrument.parseAmount"],
      ["Instrument.priceOf", "Instrument.formatPrice"],
      ["Instrument.amountOf", "Instrument.formatAmount"],
      ["Instrument.toldPriceOf", "Instrument.formatReportedPrice"],
      ["Instrument.toldAmountOf", "Instrument.formatReportedAmount"],
      ["Instrument.paperOf", "Instrument.lotsToPaper"],
      ["Instrument.creditOfTickLots", "Instrument.tickLotsToCredit"],
      ["lotsOfBase", "baseToLots"],
      ["exactLotsOfBase", "baseToExactLots"],
      ["decimalOf", "toDecimal"],
      ["streamName", "formatStreamName"],
      ["readStreamName", "parseStreamName"],
    ];
    expect(warnings).toEqual(
      named.map(
        ([former, current]) =>
          `DeprecationWarning: ${former} is now ${current}. ` +
          "The former name still works: please rename it.",
      ),
    );
  });
});

describe("each former name of a public function", () => {
  const entries: Readonly<Record<string, unknown>> = { ...strategyEntry, ...exchangeEntry };
  const formerNames = publicExports().flatMap(({ name, doc }) => {
    const current = /^@deprecated Use \{@link (\w+)\}\.$/.exec(doc)?.[1];
    return current === undefined ? [] : [{ name, current }];
  });
  const functions = formerNames.filter(({ name }) => name in entries);

  it("is listed with a current one", () => {
    const names = new Set(publicExports().map(({ name }) => name));
    expect(formerNames.filter(({ current }) => !names.has(current))).toEqual([]);
    expect(functions.length).toBeGreaterThan(10);
  });

  it.each(functions)("$name is exported beside $current", ({ current }) => {
    expect(entries[current]).toBeTypeOf("function");
  });
});

describe("docs/reference/exchange-client.md", () => {
  const page = readPage("docs/reference/exchange-client.md");

  it("lists every former name with its current one", () => {
    const listed = tableOf(page, "former").map((cells) =>
      cells.map((cell) => cell.replaceAll("`", "")),
    );
    const warned = readdirSync(join(PROJECT_ROOT, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => renamingsIn(readFileSync(join(PROJECT_ROOT, "src", name), "utf8")));
    const types = publicExports().flatMap(({ name, doc, declaration }) => {
      const current = /^@deprecated Use \{@link (\w+)\}\.$/.exec(doc)?.[1];
      return current !== undefined && declaration.startsWith("export type")
        ? [[`type ${name}`, current]]
        : [];
    });
    expect(warned.length).toBeGreaterThan(20);
    expect(types.length).toBeGreaterThan(10);
    const known = new Set([...warned, ...types].map((names) => names.join(" | ")));
    expect(listed.map((names) => names.join(" | ")).sort()).toEqual([...known].sort());
  });

  it("has programs that compile in strict mode, read one after the other", async () => {
    const blocks = blocksOf(page, "ts").map(({ text }) => text);
    expect(blocks.length).toBeGreaterThan(2);
    const { path } = createProgramFolder();
    writeFileSync(join(path, "page.ts"), blocks.join("\n"));
    const tsc = join(PROJECT_ROOT, "node_modules/.bin/tsc");
    const output = await run(tsc, ["-p", path]).then(
      ({ stdout }) => stdout,
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(output).toBe("");
  });
});

/** The former and current names for which code warns. */
function renamingsIn(code: string): readonly (readonly string[])[] {
  const calls = /(?:warnRenamed|underFormerName)\(\s*"([^"]+)",\s*"([^"]+)"/g;
  return [...code.matchAll(calls)].map(([, former = "", current = ""]) => [
    former.replace(/^The option/, "option"),
    current,
  ]);
}
