import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";

/**
 * Reads a file of JSON lines, one line in memory at a time; nothing if there is no file. A line
 * that is not JSON is undefined: a crash may have cut it short.
 * @throws errors of the file system
 */
export async function* readJsonLines(path: string): AsyncGenerator<unknown, void> {
  if (!existsSync(path)) return;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  for await (const line of lines) {
    if (line === "") continue;
    yield parsed(line);
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
