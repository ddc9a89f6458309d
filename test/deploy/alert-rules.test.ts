import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PROJECT_ROOT } from "../project/checkout.js";
import { codesOf, readPage, tableOf } from "../project/pages.js";

const FOLDER = join(PROJECT_ROOT, "deploy/prometheus");
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), "utf8");

/** Runs a tool of Prometheus on a file. @returns undefined where it is not installed */
function run(tool: string, ...args: readonly string[]): string | undefined {
  const { error, stdout, stderr, status } = spawnSync(tool, args, { encoding: "utf8" });
  return error === undefined ? `${stdout}${stderr}exit code ${status}` : undefined;
}

const promtool = process.env.PROMTOOL ?? "promtool";
const rules = z
  .object({
    groups: z.array(
      z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) }),
    ),
  })
  .parse(parse(read("deploy/prometheus/alerts.yml")))
  .groups.flatMap((group) => group.rules);
const tests = z
  .object({
    tests: z.array(
      z.object({
        alert_rule_test: z.array(
          z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) }),
        ),
      }),
    ),
  })
  .parse(parse(read("deploy/prometheus/alerts.test.yml")))
  .tests.flatMap((test) => test.alert_rule_test);
const named = (text: string): readonly string[] =>
  [...new Set(text.match(/marketwright_[a-z_]+/g))].sort();

describe("deploy/prometheus", () => {
  it.each([
    ["check", "rules", "alerts.yml"],
    ["check", "config", "prometheus.yml"],
    ["test", "rules", "alerts.test.yml"],
  ])("passes promtool %s %s %s", (verb, kind, file) => {
    const said = run(promtool, verb, kind, join(FOLDER, file));
    if (said === undefined) return;
    expect(said).toContain("SUCCESS");
    expect(said).toMatch(/exit code 0$/);
  });

  it("has a test in which each rule fires, and one just below in which it does not", () => {
    const withAlert = (fires: boolean): readonly string[] =>
      tests
        .filter(({ exp_alerts }) => exp_alerts.length > 0 === fires)
        .map(({ alertname }) => alertname)
        .sort();
    const names = rules.map(({ alert }) => alert).sort();
    expect(withAlert(true)).toEqual(names);
    expect(withAlert(false)).toEqual(names);
  });

  it("has rules on metrics that there are", () => {
    const metrics = read("docs/reference/metrics.md");
    const used = named(rules.map(({ expr }) => expr).join("\n"));
    expect(used.filter((name) => !metrics.includes(`## \`${name}\``))).toEqual([]);
  });

  it("has every rule of docs/guides/set-alerts.md, and docs/reference/deploy.md has the others", () => {
    const guide = named(tableOf(readPage("docs/guides/set-alerts.md"), "alert on").join());
    const used = named(rules.map(({ expr }) => expr).join("\n"));
    expect(guide.filter((name) => !used.includes(name))).toEqual([]);
    const others = rules.filter(
      ({ expr }) => !expr.startsWith("up{") && !named(expr).every((name) => guide.includes(name)),
    );
    const table = tableOf(readPage("docs/reference/deploy.md"), "alert").flatMap(([cell]) =>
      codesOf(cell ?? ""),
    );
    expect(table.sort()).toEqual(others.map(({ alert }) => alert).sort());
  });

  it("names receivers that Alertmanager accepts", () => {
    const said = run(
      process.env.AMTOOL ?? "amtool",
      "check-config",
      join(FOLDER, "alertmanager.yml"),
    );
    if (said !== undefined) expect(said).toMatch(/exit code 0$/);
  });
});
