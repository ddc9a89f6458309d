import { spawn } from "node:child_process";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Checkout } from "./checkout.js";

const SAYS_ONE = 'process.stdout.write("one\\n");\n';
const SAYS_TWO = 'process.stdout.write("two\\n");\n';

let checkout: Checkout;

afterEach(() => checkout.dispose());

function withSources(sources: Readonly<Record<string, string>> = {}): Checkout {
  checkout = new Checkout({ "src/cli/main.ts": SAYS_ONE, ...sources });
  return checkout;
}

function output(): string {
  return checkout.run(process.execPath, ["bin/marketwright.js"]).stdout;
}

describe("prepare", () => {
  it("builds a checkout that has no build", () => {
    expect(withSources().prepare("--check").status).toBe(1);
    expect(checkout.prepare().status).toBe(0);
    expect(checkout.prepare("--check").status).toBe(0);
    expect(output()).toBe("one\n");
    expect(checkout.leftovers()).toEqual([]);
  });

  it("touches no file of a current build: a bot may be running from it", () => {
    withSources({ "src/core/a.ts": "export const a = 1;\n" }).prepare();
    const before = checkout.build();
    utimesSync(join(checkout.folder, "src/core/a.ts"), new Date(), new Date());
    const again = checkout.prepare();
    expect([again.status, again.stdout, again.stderr]).toEqual([0, "", ""]);
    expect(checkout.prepare("--required").status).toBe(0);
    expect(checkout.build()).toEqual(before);
    expect(Object.keys(before)).toContain("core/a.js");
  });

  it("builds anew when a source has changed, and leaves nothing of a source that is gone", () => {
    withSources({ "src/core/gone.ts": "export const a = 1;\n" }).prepare();
    checkout.write("src/cli/main.ts", SAYS_TWO);
    checkout.remove("src/core/gone.ts");
    expect(checkout.prepare().status).toBe(0);
    expect(output()).toBe("two\n");
    expect(Object.keys(checkout.build()).filter((file) => file.includes("gone"))).toEqual([]);
    expect(checkout.leftovers()).toEqual([]);
  });

  it("leaves the last good build in place when the sources do not compile, says so, and fails", () => {
    withSources().prepare();
    const before = checkout.build();
    checkout.write("src/cli/main.ts", 'export const wrong: number = "text";\n');
    const failed = checkout.prepare();
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain("src/cli/main.ts");
    expect(failed.stderr).toContain("dist is left as it was");
    expect(checkout.build()).toEqual(before);
    expect(output()).toBe("one\n");
    expect(checkout.leftovers()).toEqual([]);
    checkout.write("src/cli/main.ts", SAYS_TWO);
    expect(checkout.prepare().status).toBe(0);
    expect(output()).toBe("two\n");
  });

  it("takes a build without its stamp for half a build", () => {
    withSources().prepare();
    checkout.remove("dist/.stamp");
    checkout.write("dist/cli/main.js", "throw new Error('half');\n");
    expect(checkout.prepare().status).toBe(0);
    expect(output()).toBe("one\n");
  });

  it("does no harm where the compiler was left out of the install, and says so where a build is needed", () => {
    withSources().prepare();
    checkout.write("src/cli/main.ts", SAYS_TWO);
    checkout.remove("node_modules");
    const before = checkout.build();
    const lenient = checkout.prepare();
    expect(lenient.status).toBe(0);
    expect(lenient.stderr).toContain("TypeScript is not installed");
    expect(checkout.prepare("--required").status).toBe(1);
    expect(checkout.build()).toEqual(before);
  });

  it("does nothing in an installed copy, which has a build and no sources", () => {
    withSources().prepare();
    checkout.remove("src");
    const before = checkout.build();
    expect(checkout.prepare("--required").status).toBe(0);
    expect(checkout.build()).toEqual(before);
  });

  it("ends with one whole build when two run at once", async () => {
    withSources();
    for (const text of [SAYS_ONE, SAYS_TWO]) {
      checkout.write("src/cli/main.ts", text);
      const statuses = await Promise.all([1, 2, 3].map(() => exitOf(checkout)));
      expect(statuses).toEqual([0, 0, 0]);
      expect(output()).toBe(text === SAYS_ONE ? "one\n" : "two\n");
      expect(checkout.leftovers()).toEqual([]);
    }
  });
});

function exitOf({ folder }: Checkout): Promise<number | null> {
  return new Promise((resolve) => {
    spawn(process.execPath, ["scripts/prepare.mjs"], { cwd: folder, stdio: "ignore" }).on(
      "exit",
      resolve,
    );
  });
}
