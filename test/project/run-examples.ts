// Runs the programs that its arguments name, one after the other in one process, since loading the
// project costs more than any of them does. Writes a line for each: its path and its error, or
// null.

const MOST_MS = 60_000;

for (const path of process.argv.slice(2)) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`runs for more than ${MOST_MS} ms`)), MOST_MS);
  });
  const error = await Promise.race([import(path), late]).then(
    () => null,
    (failure: unknown) => (failure instanceof Error ? (failure.stack ?? failure.message) : failure),
  );
  clearTimeout(timer);
  process.stdout.write(`${JSON.stringify([path, error])}\n`);
}
// An example that leaves a connection open is not to hold up the others.
process.exit(0);
