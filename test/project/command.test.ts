import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Checkout, PROJECT_ROOT } from "./checkout.js";

describe("the command", () => {
  it("is a committed file that can be run", () => {
    expect(statSync(join(PROJECT_ROOT, "bin/marketwright.js")).mode & 0o777).toBe(0o755);
  });

  describe("in the project's own checkout", () => {
    let checkout: Checkout;
    beforeAll(() => {
      checkout = new Checkout("the project's own");
    });
    afterAll(() => checkout.dispose());

    it("says what to do where there is no build, and exits 1", () => {
      const { status, stdout, stderr } = checkout.run(process.execPath, ["bin/marketwright.js", "--help"]);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("there is no build");
      expect(stderr).toContain('run "npm ci"');
      expect(stderr).toContain(checkout.folder);
    });

    it("helps through npx: before a build, which npx then makes, after it, and after a rebuild", () => {
      const help = (): void => {
        const { status, stdout, stderr } = checkout.run("npx", ["marketwright", "--help"]);
        expect(stderr.replace(/^npm warn.*$/gm, "").trim()).toBe("");
        expect(status).toBe(0);
        expect(stdout).toContain("Usage: marketwright");
      };
      help();
      const first = checkout.build();
      help();
      expect(checkout.build()).toEqual(first);
      checkout.write("src/core/added.ts", "export const added = 1;\n");
      expect(checkout.run("npm", ["run", "-s", "build"]).status).toBe(0);
      help();
      expect(Object.keys(checkout.build())).toContain("core/added.js");
    });

    it("runs from any folder after npm link, which leaves a current build alone", () => {
      expect(checkout.prepare().status).toBe(0);
      const before = checkout.build();
      expect(checkout.run("npm", ["link"]).status).toBe(0);
      expect(checkout.build()).toEqual(before);
      const elsewhere = mkdtempSync(join(tmpdir(), "marketwright-elsewhere-"));
      try {
        const { status, stdout } = checkout.run("marketwright", ["--help"], elsewhere);
        expect(status).toBe(0);
        expect(stdout).toContain("Usage: marketwright");
      } finally {
        rmSync(elsewhere, { recursive: true });
      }
    });
  });

  it("says the same through npx where nothing can be built", () => {
    const checkout = new Checkout({ "src/cli/main.ts": "export {};\n" });
    try {
      checkout.remove("node_modules");
      const { status, stderr } = checkout.run("npx", ["marketwright", "--help"]);
      expect(status).toBe(1);
      expect(stderr).toContain("there is no build");
    } finally {
      checkout.dispose();
    }
  });
});
