#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const entry = new URL("../dist/cli/main.js", import.meta.url);

if (existsSync(entry)) {
  await import(entry.href);
} else {
  const root = fileURLToPath(new URL("..", import.meta.url));
  process.stderr.write(
    `marketwright: there is no build in ${root}dist; run "npm ci" (or "npm run build") in ${root} first\n`,
  );
  process.exitCode = 1;
}
