import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PROJECT_ROOT } from "../project/checkout.js";

/** The schema of a compose file, as Docker Compose reads it, is published in its Go module. */
const MODULE = "github.com/compose-spec/compose-go/v2@v2.10.0";

/** The folder of the module; undefined where Go or the module is not available. */
function moduleFolder(): string | undefined {
  const { status, stdout } = spawnSync("go", ["mod", "download", "-json", MODULE], {
    encoding: "utf8",
    timeout: 120_000,
  });
  if (status !== 0) return undefined;
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}

const folder = moduleFolder();

describe.skipIf(folder === undefined)("compose.yaml against its published schema", () => {
  // Ajv knows this version of JSON Schema by its address without TLS alone.
  const schema = (): Record<string, unknown> => {
    const text = readFileSync(join(folder ?? "", "schema/compose-spec.json"), "utf8");
    const { $schema: _, ...rules } = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    return rules;
  };
  const file = readFileSync(join(PROJECT_ROOT, "deploy/docker/compose.yaml"), "utf8");
  const faults = (text: string): readonly unknown[] => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    const validate = ajv.compile(schema());
    validate(parse(text, { merge: true }));
    return validate.errors ?? [];
  };

  it("is valid", () => {
    expect(faults(file)).toEqual([]);
  });

  it("would be refused with a misspelt key", () => {
    expect(faults(file.replace("stop_grace_period", "stop_grace_time"))).not.toEqual([]);
  });
});
