// Makes the benchmarks measure the shipped code: their imports of src are loaded from dist, where
// the compiler leaves every function as written. tsx renames each closure whenever it is created, a
// cost that users of the build do not pay.
import * as modules from "node:module";

const SOURCES = new URL("../src/", import.meta.url).href;
const BUILD = new URL("../dist/", import.meta.url).href;

/** @returns the build of a source; every other module unchanged. */
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
  // Node 20 has only the hooks that run in a separate thread, of which Node 26 warns.
  const thread = `
    const [SOURCES, BUILD] = ${JSON.stringify([SOURCES, BUILD])};
    ${toBuilt}
    export const resolve = async (specifier, context, next) => toBuilt(await next(specifier, context));
  `;
  modules.register(`data:text/javascript,${encodeURIComponent(thread)}`);
}
