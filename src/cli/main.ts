import { processContext } from "./cli-context.js";
import { EXIT } from "./exit.js";
import { runCli } from "./program.js";

// A reader that went away (`marketwright call ... | head`) is the end of the output, not a failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const code = await runCli(process.argv.slice(2), processContext());
process.exitCode = code;
// What a command that was ended has still under way, a file's checksum or a wait for tokens, is for nobody.
if (code === EXIT.interrupted || code === EXIT.terminated) process.exit();
