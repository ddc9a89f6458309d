// Has the benchmarks measure what is shipped: whatever they import of src is taken from dist, where the compiler has left
// every function as it is written. tsx names each closure anew whenever it is made, which nobody pays for who runs the build.
import * as modules from "node:module";

const SOURCES = new URL("../src/", import.meta.url).href;
const BUILD = new URL("../dist/", import.meta.url).href;

/** @returns the build of a source; every other module as it is. */
function toBuilt(resolved) {
  if (!resolved.url.startsWith(SOURCES)) return resolved;
  const built = resolved.url.replace(SOURCES, BUILD).replace(/\.ts(?=$|\?)/, ".js");
  return { ...resolved, url: built, format: "module" };
}

if (modules.registerHooks !== undefined) {
  modules.registerHooks({
    resolve: (specifier, context, next) => toBuilt(next(specifier, context)),
  });
} else {
  // Node 20 has only the hooks that run in a thread of their own, of which Node 26 warns.
  const thread = `
    const [SOURCES, BUILD] = ${JSON.stringify([SOURCES, BUILD])};
    ${toBuilt}
    export const resolve = async (specifier, context, next) => toBuilt(await next(specifier, context));
  `;
  modules.register(`data:text/javascript,${encodeURIComponent(thread)}`);
}
