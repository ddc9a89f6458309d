import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(path, "utf8");

/** The names of packages that a text imports. */
const importedIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import) "([a-z][\w.-]*)"/g)].map(([, name = ""]) => name);

/** True if Node loads a file as CommonJS. */
function isCommonJs(path: string): boolean {
  if (!path.endsWith(".js")) return path.endsWith(".cjs");
  let folder = dirname(path);
  for (;;) {
    try {
      return JSON.parse(read(join(folder, "package.json"))).type !== "module";
    } catch {
      folder = dirname(folder);
    }
  }
}

it("tests of commands load every CommonJS package of the program before they start one", () => {
  const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const names = new Set(
    sources
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => importedIn(read(join(ROOT, "src", name)))),
  );
  // Optional packages are loaded when they are needed, by one place each.
  const { dependencies } = JSON.parse(read(join(ROOT, "package.json")));
  const needed = Object.keys(dependencies).filter((name) => names.has(name));
  const script = `console.log(JSON.stringify(${JSON.stringify(needed)}.map((name) => [name, import.meta.resolve(name)])))`;
  const resolved: [string, string][] = JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: ROOT,
      encoding: "utf8",
    }),
  );
  const commonJs = resolved
    .filter(([, url]) => url.startsWith("file:") && isCommonJs(fileURLToPath(url)))
    .map(([name]) => name);
  expect(commonJs).toContain("fastify");
  const loaded = importedIn(read(join(ROOT, "test/cli/loaded-packages.ts")));
  expect(commonJs.filter((name) => !loaded.includes(name))).toEqual([]);
});
