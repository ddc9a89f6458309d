import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SOURCE = pathToFileURL(join(import.meta.dirname, "../../src/core/files/atomic-file.ts")).href;
const KILOBYTES = 64;

/**
 * Puts a text at a path in a process whose files may be so long: a disk that fills takes the first
 * part of a write, too.
 */
const LIMITED = `
process.on("SIGXFSZ", () => {});
const { replaceFile } = await import(${JSON.stringify(SOURCE)});
const [path, length] = process.argv.slice(2);
try {
  replaceFile(path, "x".repeat(Number(length)));
  console.log("written");
} catch (error) {
  console.log(error.code);
}
`;

describe("a file that is written whole or not at all", () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "marketwright-durable-")));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const written = (path: string, bytes: number): string => {
    const program = join(folder, "limited.mjs");
    writeFileSync(program, LIMITED);
    const limited = `ulimit -f ${KILOBYTES * 2}; exec "$0" "$@"`;
    const told = execFileSync(
      "sh",
      ["-c", limited, process.execPath, "--import", "tsx", program, path, String(bytes)],
      // Node's cache of compiled modules would be over the limit too.
      { encoding: "utf8", env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" } },
    );
    rmSync(program);
    return told.trim();
  };

  // A manifest or a page that lost its end with nothing said would be read as what there is.
  it("is the old one still, where the disk has room for half of the new one, and that is an error", () => {
    const path = join(folder, "kept.json");
    expect(written(path, 100)).toBe("written");
    expect(written(path, KILOBYTES * 1024 * 4)).toBe("EFBIG");
    expect(readFileSync(path, "utf8")).toBe("x".repeat(100));
    expect(readdirSync(folder)).toEqual(["kept.json"]);
  });
});
