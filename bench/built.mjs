// Has the benchmarks measure what is shipped: whatever they import of src is taken from dist, where the compiler has left
// every function as it is written. tsx names each closure anew whenever it is made, which nobody pays for who runs the build.
import { register } from "node:module";

const SOURCES = new URL("../src/", import.meta.url).href;
const BUILD = new URL("../dist/", import.meta.url).href;

register(
  `data:text/javascript,${encodeURIComponent(`
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    if (!resolved.url.startsWith(${JSON.stringify(SOURCES)})) return resolved;
    const built = resolved.url.replace(${JSON.stringify(SOURCES)}, ${JSON.stringify(BUILD)}).replace(/\\.ts(?=$|\\?)/, ".js");
    return { ...resolved, url: built, format: "module" };
  }
`)}`,
);
