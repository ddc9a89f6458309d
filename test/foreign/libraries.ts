import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CACHE = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
/** Where `install.sh` puts the libraries of clients in TypeScript and JavaScript. */
const NODE_LIBRARIES = join(CACHE, "foreign");

/** The path of a script of `clients`. */
export function clientScript(name: string): string {
  return fileURLToPath(new URL(`clients/${name}`, import.meta.url));
}

/** A new folder from whose files the installed libraries can be imported. The caller removes it. */
export function libraryFolder(): string {
  mkdirSync(NODE_LIBRARIES, { recursive: true });
  return mkdtempSync(join(NODE_LIBRARIES, "client-"));
}

/** The file of an installed package, such as its command. */
export function libraryFile(path: string): string {
  return join(NODE_LIBRARIES, "node_modules", path);
}

/** True if these packages are installed for Node. */
export function hasNodeLibraries(...names: readonly string[]): boolean {
  return names.every((name) => existsSync(libraryFile(`${name}/package.json`)));
}

/** The environment in which Python finds the installed libraries, and `folders` before them. */
export function pythonEnv(...folders: readonly string[]): NodeJS.ProcessEnv {
  const path = [...folders, join(CACHE, "python"), process.env.PYTHONPATH]
    .filter(Boolean)
    .join(delimiter);
  return { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: "1" };
}

/** True if `python3` is there and has these modules. */
export function hasPythonModules(...names: readonly string[]): boolean {
  return (
    spawnSync("python3", ["-c", `import ${names.join(", ")}`], { env: pythonEnv() }).status === 0
  );
}

/**
 * Runs a program and reads the JSON of its last line.
 * @throws Error with what it wrote, where it fails
 */
export async function runClient(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(program, [...args], {
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/**
 * Runs a Python script of `clients` and reads what it prints as JSON, 64-bit identifiers as the
 * texts of their digits.
 */
// biome-ignore lint/suspicious/noExplicitAny: whatever a foreign client saw.
export async function runPython(script: string, ...args: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)("python3", [clientScript(script), ...args], {
    env: pythonEnv(),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.replace(/"(id|orderId)": (\d{10,})/g, '"$1": "$2"'));
}
