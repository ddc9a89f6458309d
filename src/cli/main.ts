import { ProcessEnd } from "./process-end.js";

const end = new ProcessEnd();
const [{ processContext }, { runCli }, { maskProcessOutput }] = await Promise.all([
  import("./cli-context.js"),
  import("./program.js"),
  import("./masked-output.js"),
]);
maskProcessOutput();
await end.with(await runCli(process.argv.slice(2), processContext(end)));
