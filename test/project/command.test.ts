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
      const { status, stdout, stderr } = checkout.run(process.execPath, [
        "bin/marketwright.js",
        "--help",
      ]);
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("there is no build");
      expect(stderr).toContain('run "npm ci"');
      expect(stderr).toContain(checkout.folder);
    });

    it("runs through npx, and from any folder after npm link, which both leave a current build alone", () => {
      checkout.takeBuild();
      expect(checkout.prepare().status).toBe(0);
      const before = checkout.build();
      expect(helpThroughNpx(checkout)).toContain("Usage: marketwright");
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

  it("is built by npx where it is not, left alone where it is, and rebuilt by npm", () => {
    const checkout = new Checkout({ "src/cli/main.ts": 'process.stdout.write("first\\n");\n' });
    try {
      expect(helpThroughNpx(checkout)).toBe("first\n");
      const first = checkout.build();
      expect(helpThroughNpx(checkout)).toBe("first\n");
      expect(checkout.build()).toEqual(first);
      checkout.write("src/cli/main.ts", 'process.stdout.write("second\\n");\n');
      expect(checkout.run("npm", ["run", "-s", "build"]).status).toBe(0);
      expect(helpThroughNpx(checkout)).toBe("second\n");
    } finally {
      checkout.dispose();
    }
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

/** The output of the command, and nothing besides. */
function helpThroughNpx(checkout: Checkout): string {
  const { status, stdout, stderr } = checkout.run("npx", ["marketwright", "--help"]);
  expect(stderr.replace(/^npm warn.*$/gm, "").trim()).toBe("");
  expect(status).toBe(0);
  return stdout;
}
