import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decimalToScaled } from "#core/instrument.js";
import { Duck, pathSql } from "#history/duck.js";
import { TradedExchange } from "./traded-exchange.js";

let world: TradedExchange;

beforeAll(async () => {
  world = await TradedExchange.start();
  // A busy machine gets longer until a settlement of a fill has failed.
  do await world.run("7s");
  while (!(await csv()).rows.some(({ reverses }) => reverses !== ""));
  // While no bot runs: the gap, by hand.
  world.trade("BUY", "0.05");
  world.move("/withdraw", "250.5");
  world.move("/faucet", "100");
  await world.run("4s");
});
afterAll(() => world.close());

const csv = async (...args: readonly string[]) => {
  const { out, err, code } = await world.ledger("export", ...args);
  const [head = "", ...lines] = out.trimEnd().split("\n");
  const names = head.split(",");
  const rows = lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]));
  });
  return { rows, err, code, out };
};
const sum = (rows: readonly Record<string, string>[], kind?: string) =>
  rows
    .filter((row) => row.asset === "USDC" && (kind === undefined || row.kind === kind))
    .reduce((total, { amount = "0" }) => total + decimalToScaled(amount, 6), 0n);

describe("the ledger of a bot that traded, failed settlements, was funded and restarted", () => {
  it("adds up to the exchange's own balances to the unit, so that no money is unaccounted for", async () => {
    const { rows, err, code } = await csv();
    expect(code, err).toBe(0);
    expect(err).toContain("reconciled: the ledger and the exchange agree to the unit");
    expect(sum(rows)).toBe(
      decimalToScaled(rows.findLast(({ asset }) => asset === "USDC")?.balance ?? "", 6),
    );
    expect(sum(rows, "deposit")).toBe(100_100_000_000n);
    expect(sum(rows, "withdrawal")).toBe(-250_500_000n);
    expect(rows.filter(({ kind }) => kind === "funding").length).toBeGreaterThan(3);
    const reversed = rows.filter(({ reverses }) => reverses !== "");
    expect(reversed.length).toBeGreaterThan(0);
    for (const { reverses, amount, asset } of reversed) {
      const line = rows.find(({ id }) => id === reverses);
      const decimals = asset === "USDC" ? 6 : 18;
      expect(decimalToScaled(line?.amount ?? "", decimals)).toBe(
        -decimalToScaled(amount ?? "", decimals),
      );
    }
    // The bot has what was traded while it was down; what it never saw is there by the exchange.
    expect(
      new Set(rows.filter(({ kind }) => kind === "fill").map(({ source }) => source)),
    ).toContain("both");
  });

  it("splits a period without losing a unit: the first half's end is the second half's opening", async () => {
    // The account goes on being funded: all three exports end before now.
    const to = (await csv()).rows.at(-1)?.time ?? "";
    const { rows } = await csv("--to", to);
    const middle = rows[Math.floor(rows.length / 2)]?.time ?? "";
    const before = (await csv("--to", middle)).rows;
    const after = (await csv("--from", middle, "--to", to)).rows;
    expect(sum(after, "opening")).toBe(sum(before));
    expect(sum(after)).toBeGreaterThan(0n);
    const [first, second] = [before.map(({ id }) => id), after.map(({ id }) => id)];
    expect([...first, ...second.filter((id) => !id?.startsWith("opening."))]).toEqual(
      rows.map(({ id }) => id),
    );
  });

  it("writes a Parquet file that a database reads as the CSV's very rows", async () => {
    const [table, parquet] = ["ledger.csv", "ledger.parquet"].map((name) =>
      join(world.folder, name),
    );
    // The account goes on being funded: both files end before now.
    const to = (await csv()).rows.at(-1)?.time ?? "";
    expect((await world.ledger("export", "--out", table as string, "--to", to)).code).toBe(0);
    const written = await world.ledger(
      "export",
      "--format",
      "parquet",
      "--output",
      parquet as string,
      "--to",
      to,
    );
    expect(written.code, written.err).toBe(0);
    const duck = await Duck.open(join(world.folder, "spill"));
    try {
      const rows = await duck.rows(`SELECT * FROM read_parquet(${pathSql(parquet as string)})`);
      const lines = readFileSync(table as string, "utf8")
        .trimEnd()
        .split("\n")
        .slice(1);
      expect(rows).toHaveLength(lines.length);
      const types = await duck.rows(
        `DESCRIBE SELECT * FROM read_parquet(${pathSql(parquet as string)})`,
      );
      expect(types.find(({ column_name }) => column_name === "amount")).toMatchObject({
        column_type: "DECIMAL(38,18)",
      });
      const amounts = await duck.rows(
        `SELECT id, (amount * 1000000)::DECIMAL(38,6)::VARCHAR AS units FROM read_parquet(${pathSql(parquet as string)})`,
      );
      lines.forEach((line, at) => {
        const cells = line.split(",");
        expect(amounts[at]?.id).toBe(cells[10]);
        expect(Number(amounts[at]?.units)).toBeCloseTo(Number(cells[5]) * 1e6, 4);
      });
    } finally {
      duck.close();
    }
  });

  it("answers SQL over the same lines, and nothing else on the machine", async () => {
    const asked = await world.ledger(
      "query",
      "SELECT sum(fee) AS fees, count(*) FILTER (failed) AS failed FROM fills",
      "--format",
      "json",
    );
    expect(asked.code, asked.err).toBe(0);
    const [{ fees, failed }] = JSON.parse(asked.out);
    const { rows } = await csv();
    expect(decimalToScaled(fees, 18)).toBe(sum(rows, "fee") * 10n ** 12n);
    expect(Number(failed)).toBeGreaterThan(0);
    for (const [sql, why] of [
      ["SELECT * FROM read_csv('/etc/passwd')", "file system operations are disabled"],
      ["SELECT wrong FROM entries", 'Referenced column "wrong" not found'],
      ["DROP TABLE entries", "not a SELECT"],
      ["SELECT 1; SELECT 2", "2 statements"],
      ["SET enable_external_access = true", "not a SELECT"],
    ] as const) {
      const { code, err } = await world.ledger("query", sql);
      expect([code, err], sql).toEqual([2, expect.stringContaining(why)]);
    }
  });

  it("goes by the files alone when the exchange may not be asked, and says what they lack", async () => {
    const { rows, err, code } = await csv("--offline");
    expect(code, err).toBe(0);
    expect(err).toContain("Own liquidations, transfers before");
    expect(err).toMatch(/no funding and no transfers: 2\S+Z to 2\S+Z/);
    expect(new Set(rows.map(({ source }) => source))).toEqual(new Set(["file"]));
    expect(rows.some(({ kind }) => kind === "fill")).toBe(true);
    // The day files have the payments of the time in which the bot ran.
    const online = (await csv()).rows;
    const [first = "", last = ""] = [
      rows.find(({ kind }) => kind === "funding")?.time,
      rows.findLast(({ kind }) => kind === "funding")?.time,
    ];
    expect(rows.filter(({ kind }) => kind === "funding").length).toBeGreaterThan(1);
    expect(sum(rows, "funding")).not.toBe(0n);
    const paid = online.filter(({ kind, time = "" }) => kind === "funding" && time <= last);
    expect(paid.length).toBeGreaterThan(rows.filter(({ kind }) => kind === "funding").length);
    expect(first < last).toBe(true);
  });

  it("answers with rows in order of time and decimals without padding: a spreadsheet reads them so", async () => {
    const answered = await world.ledger("query", "SELECT * FROM fills", "--format", "json");
    expect(answered.code, answered.err).toBe(0);
    const fills = JSON.parse(answered.out) as Record<string, string>[];
    const { rows } = await csv();
    expect(fills.map(({ id }) => id)).toEqual(
      rows.filter(({ kind, reverses }) => kind === "fill" && reverses === "").map(({ id }) => id),
    );
    expect(fills.filter(({ amount = "" }) => !/^-?\d+(\.\d*[1-9])?$/.test(amount))).toEqual([]);
    const table = await world.ledger("query", "SELECT amount FROM fills", "--format", "csv");
    expect(table.out.split("\n").filter((line) => /\.\d*0$/.test(line))).toEqual([]);
  });

  it.each([
    [["--output", "."], /^marketwright: --output: is a folder \(got "\."\)/],
    [["--output", "none/x.csv"], /^marketwright: --output: is in none, which is not a folder/],
    [["--from", "2026-11-02", "--to", "2026-11-01"], /^marketwright: --to: is not after --from/],
    [["--output", "/proc/x.csv"], /^marketwright: \/proc\/x\.csv: cannot be written \(ENOENT\)/],
    [
      ["--format", "parquet", "--output", "/proc/x.parquet"],
      /^marketwright: \/proc\/x\.parquet: cannot be written \(Cannot open file /,
    ],
  ])("says what is wrong with %j, and prints no trace of the program", async (args, problem) => {
    const { err, out } = await world.ledger("export", ...args);
    expect(err).toMatch(problem);
    expect([out, err.includes("unexpected")]).toEqual(["", false]);
  });

  it("names a missing statement and an unknown action, and not the file that is right", async () => {
    const { captureCli } = await import("../cli/captured-cli.js");
    const none = await captureCli(["ledger", world.file, "query"], world.env);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("put the statement in")]);
    const unknown = await captureCli(["ledger", world.file, "exprot"], world.env);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining("unknown command 'exprot'"),
    ]);
  });

  it("takes the name of the file before the action too", async () => {
    const { captureCli } = await import("../cli/captured-cli.js");
    const { code } = await captureCli(["ledger", world.file, "export"], world.env);
    expect(code).toBe(0);
  });

  it("names a trade whose record was changed by a single unit, and exits 1", async () => {
    const fills = join(world.stateDir, "fills.jsonl");
    const text = readFileSync(fills, "utf8");
    const [first = ""] = text.split("\n");
    const { id, quote } = JSON.parse(first);
    writeFileSync(fills, text.replace(`"quote":"${quote}"`, `"quote":"${BigInt(quote) + 1n}"`));
    try {
      const { code, err } = await csv();
      expect(code).toBe(1);
      expect(err).toContain(`values-differ: btcusdc.${id}`);
      expect(err).toContain(`quote ${BigInt(quote) + 1n} against ${quote}`);
    } finally {
      writeFileSync(fills, text);
    }
  });

  it("dates a difference between two exports, so that an accountant knows where to look", async () => {
    await csv();
    const balances = join(world.stateDir, "ledger-balances.jsonl");
    const text = readFileSync(balances, "utf8");
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const changed = { ...lines.at(-1), credit: String(BigInt(lines.at(-1).credit) + 7n) };
    writeFileSync(
      balances,
      `${[...lines.slice(0, -1), changed].map((line) => JSON.stringify(line)).join("\n")}\n`,
    );
    try {
      const { code, rows } = await csv();
      expect(code).toBe(1);
      const found = rows.filter(({ kind }) => kind === "difference");
      expect(found.map(({ amount }) => amount)).toEqual(["0.000007", "-0.000007"]);
      expect(found[0]?.detail).toMatch(/arose between 2.*Z and 2.*Z/);
    } finally {
      writeFileSync(balances, text);
    }
  });
});
