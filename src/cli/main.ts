import { ProcessEnd } from "./process-end.js";

const end = new ProcessEnd();
const [{ processContext }, { runCli }] = await Promise.all([import("./cli-context.js"), import("./program.js")]);
await end.with(await runCli(process.argv.slice(2), processContext(end)));
