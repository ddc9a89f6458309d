import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { METRIC_LIST, METRIC_PREFIX } from "#monitoring/metric-list.js";
import { DASHBOARDS, dashboardText } from "../../scripts/dashboards/all-dashboards.js";
import { PROJECT_ROOT } from "../project/checkout.js";
import { dashboardFiles, panelQueries } from "./dashboard-files.js";

const TSC = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin/tsc",
);
const SDK = "@grafana/grafana-foundation-sdk";

/** Types of a dashboard's JSON, from Grafana's own: a value for each enumeration's member. */
const TYPES = `
import type { Dashboard, Panel, RowPanel, FieldConfig, FieldConfigSource } from "${SDK}/dashboard";
import type { Dataquery } from "${SDK}/prometheus";
import type { Options as StatOptions } from "${SDK}/stat";
import type { FieldConfig as LineConfig, Options as LineOptions } from "${SDK}/timeseries";

type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Query = Omit<Dataquery, "_implementsDataqueryVariant">;
type PanelOf<Type extends string, Options, Custom> = Omit<
  Panel,
  "type" | "targets" | "options" | "fieldConfig"
> & {
  type: Type;
  targets: Query[];
  options?: Partial<Options>;
  fieldConfig?: Omit<FieldConfigSource, "defaults"> & {
    defaults: Omit<FieldConfig, "custom"> & { custom?: Custom };
  };
};
export type File = Plain<
  Omit<Dashboard, "panels"> & {
    panels: (
      | (RowPanel & { type: "row" })
      | PanelOf<"stat", StatOptions, never>
      | PanelOf<"timeseries", LineOptions, LineConfig>
    )[];
  }
>;
`;

/** Compiles the dashboards as values of Grafana's types. @returns the compiler's complaints */
function complaints(files: Iterable<readonly [string, string]>): string {
  const folder = mkdtempSync(join(tmpdir(), "mw-dashboards-"));
  try {
    symlinkSync(join(PROJECT_ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "file.ts"), TYPES);
    const names = [...files].map(([name, text]) => {
      const path = join(folder, `${name}.ts`);
      writeFileSync(
        path,
        `import type { File } from "./file.js";\nexport const file: File = ${text};\n`,
      );
      return path;
    });
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "NodeNext",
      "--types",
      "",
    ];
    return spawnSync(process.execPath, [TSC, ...options, ...names], {
      cwd: folder,
      encoding: "utf8",
    }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("deploy/grafana/dashboards", () => {
  it("match the code (npm run docs)", () => {
    expect(new Map([...dashboardFiles()].sort())).toEqual(
      new Map(DASHBOARDS.map((plan) => [`${plan.name}.json`, dashboardText(plan)] as const).sort()),
    );
  });

  it("show every metric: one that nobody looks at warns nobody", () => {
    const shown = panelQueries()
      .map(({ expr }) => expr)
      .join("\n");
    expect(
      Object.values(METRIC_LIST)
        .map(({ name }) => `${METRIC_PREFIX}${name}`)
        .filter((name) => !new RegExp(`\\b${name}(_bucket)?\\{`).test(shown)),
    ).toEqual([]);
  });

  it("name no data source and no machine of their maker's", () => {
    for (const text of dashboardFiles().values())
      expect(new Set(text.match(/"uid": .*/g))).toEqual(new Set([`"uid": "$${"{datasource}"}"`]));
  });

  it("have the form that Grafana publishes: a panel that it cannot read is empty", () => {
    expect(complaints(dashboardFiles())).toBe("");
  });

  it.each([
    ["an option that there is not", '"graphMode": "area"', '"graphMood": "area"'],
    ["a value that there is not", '"graphMode": "area"', '"graphMode": "hill"'],
    ["a wrong type", '"expr": "', '"legendFormat": 1, "was": "'],
  ])("would be refused with %s", (_, from, to) => {
    const [name = "", text = ""] =
      [...dashboardFiles()].find(([file]) => file === "desk.json") ?? [];
    expect(text).toContain(from);
    expect(complaints([[name, text.replace(from, to)]])).toContain("error TS");
  });
});
