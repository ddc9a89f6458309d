import { processContext } from "./cli-context.js";
import { runCli } from "./program.js";

// A reader that went away (`marketwright call ... | head`) is the end of the output, not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runCli(process.argv.slice(2), processContext());
