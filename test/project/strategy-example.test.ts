import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { of, toArray } from "rxjs";
import { describe, expect, it } from "vitest";
import { loadStrategy } from "#bot/load-strategy.js";
import { checkIntent } from "#risk/check-intent.js";
import type { Intent } from "#strategies/intent.js";
import { testContext, testView } from "../strategies/fixtures.js";
import { PROJECT_ROOT } from "./checkout.js";
import { blocksOf, readPage } from "./pages.js";

const source = blocksOf(readPage("docs/guides/strategies.md"), "ts")[1]?.text ?? "";
const folder = mkdtempSync(join(tmpdir(), "marketwright-example-"));
const path = join(folder, "written-out.ts");
writeFileSync(path, source);

describe("the intents that docs/guides/strategies.md writes out", () => {
  it("compile in strict mode against the public types", () => {
    const own = (name: string): string[] => [join(PROJECT_ROOT, "node_modules", name)];
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: "ES2023",
      module: "NodeNext",
      types: ["node"],
      typeRoots: own("@types"),
      paths: {
        marketwright: [join(PROJECT_ROOT, "src/index.ts")],
        rxjs: own("rxjs"),
        zod: own("zod"),
      },
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["written-out.ts"] }),
    );
    const { stdout, status } = spawnSync(
      join(PROJECT_ROOT, "node_modules/.bin/tsc"),
      ["-p", folder],
      { encoding: "utf8" },
    );
    expect(stdout).toBe("");
    expect(status).toBe(0);
  });

  it("are taken by the risk room as they are: quotes while the position is small, a target once it is not", async () => {
    const { strategy } = await loadStrategy(path, folder, "markets.ethusdc.strategy");
    const rules = { minTicks: 1, maxTicks: 1_000_000, minLots: 1, maxLots: 1_000_000 };
    const operator = strategy.bind({ sizeBase: 0.5, unwindBase: 1 })(testContext());
    const kinds: string[] = [];
    for (const positionLots of [0, 1000, -1000]) {
      let intents: Intent[] = [];
      of(testView({ positionLots }))
        .pipe(operator, toArray())
        .subscribe((all) => {
          intents = all;
        });
      for (const intent of intents) {
        const place = {
          marketId: "ethusdc",
          rules,
          amountOf: String,
          newestViewSequence: 1,
          lastAcceptedViewSequence: -1,
          positionLots,
        };
        expect(checkIntent(intent, place)).toEqual({ accepted: true, intent });
        kinds.push(intent.kind);
      }
    }
    expect(kinds).toEqual(["quotes", "target", "target"]);
  });
});
