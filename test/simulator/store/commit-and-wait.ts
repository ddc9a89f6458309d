import { openDataDir } from "#simulator/data-dir.js";

// Commits as fast as it can, and prints the count, until it is killed.
const { records } = await openDataDir(process.argv[2] as string);
for (let count = 1; ; count += 1) {
  records.commit({
    puts: new Map([[`n/${count}`, "text"]]),
    removed: new Set(),
    removedRanges: [],
  });
  if (count === 2000) {
    process.send?.(count);
  }
  if (count % 100 === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
