import { ProcessEnd } from "./process/process-end.js";

const end = new ProcessEnd();
const [{ processContext }, { runCli }, { maskProcessOutput }] = await Promise.all([
  import("./cli-context.js"),
  import("./program.js"),
  import("./process/masked-output.js"),
]);
maskProcessOutput();
const context = processContext(end);
end.watchLaunch(context.runtime.clock);
await end.with(await runCli(process.argv.slice(2), context));
