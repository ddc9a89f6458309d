import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exactText } from "#backtest/html-text.js";
import { type Report, reportJsonSchema } from "#backtest/report-schema.js";
import { ReportWriter } from "#backtest/report-writer.js";
import type { RunMeta, RunOutcome } from "#backtest/run-meta.js";
import { ConfigError, RunError } from "#core/errors.js";
import { decimalToScaled } from "#core/instrument.js";
import { currentProcessName } from "#core/process-life.js";
import { othersOfThisId } from "../../history/other-processes.js";
import { BTC, DUST, tellSampleRun } from "../record/sample-run.js";
import { sampleMeta } from "./sample-meta.js";

const START_US = 1_722_470_400_000_000;
const INSTRUMENTS = [BTC, DUST];
const SCHEMA = new URL("../../../config/report.schema.json", import.meta.url);

let scratch: string;
beforeAll(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-report-")));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function tell(writer: ReportWriter): number {
  const run = {
    seed: "7",
    startUs: START_US,
    seconds: 1800,
    stepSeconds: 5,
    sampleSeconds: 60,
    instruments: INSTRUMENTS,
  };
  return tellSampleRun({ ...run, startEquity: 50_000_000_000n }, writer.observer);
}

function written(
  name: string,
  meta: RunMeta = sampleMeta(INSTRUMENTS, START_US),
  outcome: Partial<RunOutcome> = {},
) {
  const writer = new ReportWriter(join(scratch, name), meta);
  const endUs = tell(writer);
  return writer.finish({ endUs, ended: "end-of-history", ...outcome });
}

function sum(values: readonly string[]): bigint {
  return values.reduce((total, value) => total + decimalToScaled(value, 24), 0n);
}

describe("report.json", () => {
  it("holds to the schema that is published", () => {
    const { json } = written("schema", sampleMeta(INSTRUMENTS, START_US, "klines"), {
      ended: "halted",
      reason: "drawdown",
      alternatives: [
        {
          name: "O-L-H-C",
          ended: "end-of-history",
          reason: null,
          profit: "-1.5",
          maxDrawdown: "2",
          fills: 3,
        },
      ],
    });
    const validate = new Ajv2020({
      strict: true,
      strictTuples: false,
      validateFormats: false,
    }).compile(JSON.parse(readFileSync(SCHEMA, "utf8")));
    const report = JSON.parse(readFileSync(json, "utf8"));
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(validate({ ...report, profit: { ...report.profit, total: 1.5 } })).toBe(false);
    expect(validate({ ...report, extra: 1 })).toBe(false);
  });

  it("is described by config/report.schema.json as npm run schema writes it", () => {
    expect(readFileSync(SCHEMA, "utf8")).toBe(reportJsonSchema());
  });

  it("has parts that sum to the equity's change to the unit: of the whole, of the markets and of the days", () => {
    const { report } = written("sums");
    const partsOf = ({ total: _, ...parts }: Report["profit"]): bigint => sum(Object.values(parts));
    const change =
      decimalToScaled(report.equity.end, 24) - decimalToScaled(report.equity.start, 24);
    expect(report.equity.start).toBe("50000");
    expect(change).not.toBe(0n);
    expect(partsOf(report.profit)).toBe(change);
    expect(report.markets.reduce((total, { profit }) => total + partsOf(profit), 0n)).toBe(change);
    expect(report.daily.reduce((total, { profit }) => total + partsOf(profit), 0n)).toBe(change);
    expect(report.series.equity.last.at(-1)).toBe(report.equity.end);
  });

  it("tells where a run came from: the resolved files, the history's checksums, the seed", () => {
    const meta = sampleMeta(INSTRUMENTS, START_US);
    const { report } = written("provenance", meta);
    expect(report.configuration.map(({ name, yaml }) => ({ name, yaml }))).toEqual(
      meta.configuration,
    );
    expect(report.data).toEqual(meta.data);
    expect([report.seed, report.version, report.grade, report.isIndicative]).toEqual([
      "7",
      "0.1.0",
      "books",
      false,
    ]);
  });
});

describe("the files of a report", () => {
  it("are the same to the byte for the same run", () => {
    const [one, other] = [written("one"), written("other")];
    for (const file of ["json", "html", "fillsCsv"] as const)
      expect(readFileSync(other[file]).equals(readFileSync(one[file])), file).toBe(true);
  });

  it("have every fill, exact, in fills.csv", () => {
    const { fillsCsv, report } = written("fills");
    const [head = "", ...rows] = readFileSync(fillsCsv, "utf8").trimEnd().split("\n");
    const column = (name: string): string[] =>
      rows.map((row) => row.split(",")[head.split(",").indexOf(name)] ?? "");
    expect(rows).toHaveLength(report.fills.all.fills);
    expect(sum(column("quote"))).toBe(decimalToScaled(report.fills.all.turnover, 24));
    expect(sum(column("fee"))).toBe(decimalToScaled(report.fills.all.fees, 24));
    expect(column("number")).toEqual(rows.map((_, index) => String(index + 1)));
  });

  // The page is what is passed on: its reader has no terminal output.
  it("show on the page the open position at the end, whose closing is not paid for", () => {
    const { html, report } = written("held");
    const page = readFileSync(html, "utf8");
    const held = report.markets.map(({ position }) => position.last);
    expect(held.some((base) => Number(base) !== 0)).toBe(true);
    for (const base of held) {
      const said = `mean size [^<]*The run ends with a position of ${exactText(base)}: it counts at the mark price, without the cost of closing it`;
      expect(new RegExp(said).test(page)).toBe(Number(base) !== 0);
    }
  });

  it("load nothing from the network", () => {
    const page = readFileSync(written("page").html, "utf8");
    expect(page).toContain("default-src 'none'");
    expect(page.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(
      /https?:|\bimport\(|fetch\(/,
    );
  });

  it("stay where a run that was to replace them is interrupted, unless they are of an interrupted run themselves", () => {
    const directory = join(scratch, "interrupted");
    const runTo = (ended: "end-of-history" | "stopped") => {
      const writer = new ReportWriter(directory, sampleMeta(INSTRUMENTS, START_US), {
        replace: true,
      });
      return writer.finish({ endUs: tell(writer), ended });
    };
    const endedNow = (): unknown =>
      (JSON.parse(readFileSync(join(directory, "report.json"), "utf8")) as Report).ended;
    runTo("stopped");
    runTo("stopped");
    expect(endedNow()).toBe("stopped");
    runTo("end-of-history");
    expect(() => runTo("stopped")).toThrow(
      /interrupted: the complete report in this folder is kept/,
    );
    expect([
      endedNow(),
      readdirSync(scratch).filter((name) => name.startsWith(".interrupted")),
    ]).toEqual(["end-of-history", []]);
  });

  it("appear all at once, when the run is over", () => {
    const directory = join(scratch, "at-once");
    const writer = new ReportWriter(directory, sampleMeta(INSTRUMENTS, START_US));
    writeFileSync(join(writer.folder, "journal.bin"), "of the run");
    const endUs = tell(writer);
    expect(existsSync(directory)).toBe(false);
    writer.finish({ endUs, ended: "end-of-history" });
    expect(readdirSync(directory).sort()).toEqual([
      "fills.csv",
      "journal.bin",
      "report.html",
      "report.json",
    ]);
    expect(existsSync(writer.folder)).toBe(false);
  });

  it("are removed when a run is abandoned or was not sampled at its end", () => {
    const folder = join(scratch, "given-up");
    const writer = new ReportWriter(join(folder, "report"), sampleMeta(INSTRUMENTS, START_US));
    tell(writer);
    writer.abandon();
    const unfinished = new ReportWriter(join(folder, "report"), sampleMeta(INSTRUMENTS, START_US));
    const endUs = tell(unfinished);
    expect(() => unfinished.finish({ endUs: endUs + 1, ended: "stopped" })).toThrow(/not sampled/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("give an error with the path and the reason when the disk refuses, and leave nothing", () => {
    const folder = join(scratch, "refused");
    const writer = new ReportWriter(join(folder, "report"), sampleMeta(INSTRUMENTS, START_US));
    const endUs = tell(writer);
    rmSync(writer.folder, { recursive: true });
    let said: unknown;
    try {
      writer.finish({ endUs, ended: "end-of-history" });
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(RunError);
    expect((said as RunError).message).toMatch(
      /report\.html: cannot be written: ENOENT.*expected a writable disk with free space/,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leave nothing that looks complete when the process is killed, and leave the existing report", () => {
    const folder = join(scratch, "killed");
    const { directory, json } = written(join("killed", "report"));
    const before = readFileSync(json);
    const program = `
      import { ReportWriter } from ${JSON.stringify(new URL("../../../src/backtest/report/report-writer.ts", import.meta.url))};
      import { BTC, DUST, tellSampleRun } from ${JSON.stringify(new URL("../record/sample-run.ts", import.meta.url))};
      import { sampleMeta } from ${JSON.stringify(new URL("./sample-meta.ts", import.meta.url))};
      for (const name of ["report", "fresh"]) {
        const writer = new ReportWriter(${JSON.stringify(folder)} + "/" + name, sampleMeta([BTC, DUST], ${START_US}), { replace: true });
        tellSampleRun({ seed: "8", startUs: ${START_US}, seconds: 1800, stepSeconds: 5, sampleSeconds: 60, instruments: [BTC, DUST], startEquity: 1n }, writer.observer);
      }
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", program],
      {
        cwd: fileURLToPath(new URL("../../..", import.meta.url)),
      },
    );
    expect(signal).toBe("SIGKILL");
    expect(readFileSync(json).equals(before)).toBe(true);
    const left = readdirSync(folder);
    expect(left.filter((name) => !name.startsWith("."))).toEqual(["report"]);
    expect(left.filter((name) => name.includes("unfinished"))).toHaveLength(2);
    for (const name of left.filter((hidden) => hidden.startsWith(".")))
      expect(existsSync(join(folder, name, "report.json"))).toBe(false);
    expect(existsSync(directory)).toBe(true);
    // A new run of the same report removes the leftovers of that report only.
    new ReportWriter(join(folder, "report"), sampleMeta(INSTRUMENTS, START_US), {
      replace: true,
    }).abandon();
    expect(readdirSync(folder).filter((name) => name.includes("unfinished"))).toEqual([
      expect.stringMatching(/^\.fresh\./),
    ]);
    expect(readFileSync(json).equals(before)).toBe(true);
  });

  it("come back when the process was killed in the moment in which it had moved them away", () => {
    const { directory, json } = written(join("moved", "report"));
    const before = readFileSync(json);
    const gone = [
      String(spawnSync(process.execPath, ["-e", ""]).pid),
      ...othersOfThisId().map(({ name }) => name),
    ];
    for (const name of gone) {
      const writer = new ReportWriter(directory, sampleMeta(INSTRUMENTS, START_US), {
        replace: true,
      });
      const hidden = writer.folder
        .replace("unfinished", "replaced")
        .replace(`-${currentProcessName()}-`, `-${name}-`);
      renameSync(directory, hidden);
      writer.abandon();
      expect(() => new ReportWriter(directory, sampleMeta(INSTRUMENTS, START_US))).toThrow(
        /already holds a report/,
      );
      expect(readFileSync(json).equals(before)).toBe(true);
      expect(readdirSync(join(scratch, "moved"))).toEqual(["report"]);
    }
  });

  it("are left alone while the process that makes them lives", () => {
    const directory = join(scratch, "shared", "report");
    const [first, second] = [1, 2].map(
      () => new ReportWriter(directory, sampleMeta(INSTRUMENTS, START_US)),
    );
    expect(readdirSync(join(scratch, "shared"))).toHaveLength(2);
    second?.abandon();
    first?.finish({ endUs: tell(first), ended: "end-of-history" });
    expect(readdirSync(join(scratch, "shared"))).toEqual(["report"]);
  });
});

describe("the folder of a report", () => {
  const meta = sampleMeta(INSTRUMENTS, START_US);

  it("is replaced only on request, and then only once the new report is complete", () => {
    const { directory } = written("again");
    expect(() => new ReportWriter(directory, meta)).toThrow(ConfigError);
    const writer = new ReportWriter(directory, { ...meta, name: "the second" }, { replace: true });
    const endUs = tell(writer);
    const read = (): string =>
      JSON.parse(readFileSync(join(directory, "report.json"), "utf8")).name;
    expect(read()).toBe(meta.name);
    writer.finish({ endUs, ended: "end-of-history" });
    expect(read()).toBe("the second");
    expect(readdirSync(scratch).filter((name) => name.startsWith(".again"))).toEqual([]);
  });

  it("may be empty, but anything that is not a report is never replaced", () => {
    const empty = join(scratch, "empty");
    mkdirSync(empty);
    expect(written("empty").directory).toBe(empty);
    const precious = join(scratch, "precious");
    mkdirSync(precious);
    writeFileSync(join(precious, "report.json"), '{ "format": "of somebody else" }');
    expect(() => new ReportWriter(precious, meta, { replace: true })).toThrow(
      /files that do not belong to a report/,
    );
    writeFileSync(join(scratch, "file"), "");
    expect(() => new ReportWriter(join(scratch, "file"), meta, { replace: true })).toThrow(
      /is not a folder/,
    );
    expect(() => new ReportWriter(join(scratch, "file", "below"), meta)).toThrow(ConfigError);
  });

  it("does not replace the report of a faster run", () => {
    const directory = join(scratch, "race");
    const writer = new ReportWriter(directory, meta);
    const endUs = tell(writer);
    written("race", { ...meta, name: "the quicker" });
    expect(() => writer.finish({ endUs, ended: "end-of-history" })).toThrow(ConfigError);
    expect(JSON.parse(readFileSync(join(directory, "report.json"), "utf8")).name).toBe(
      "the quicker",
    );
  });
});

describe("report.html", () => {
  it("does not mention printed trades where only candles are known", () => {
    const pages = (["books", "klines"] as const).map(
      (grade) => written(`causes-${grade}`, sampleMeta(INSTRUMENTS, START_US, grade)).html,
    );
    const [books, candles] = pages.map((path) => readFileSync(path, "utf8"));
    expect(books).toContain("through: a trade printed beyond its price");
    expect(candles).toContain("through: the path of a candle went beyond its price");
    expect(candles).not.toContain("a trade printed");
  });
});
