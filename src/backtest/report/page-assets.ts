import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** From `src` and from `dist` alike. */
const FOLDER = new URL("../../../assets/report/", import.meta.url);

let made: { readonly script: string; readonly style: string } | undefined;

/** Script and style of the report's page, to stand in it: a page asks for nothing. Made once a process. */
export function pageAssets(): { readonly script: string; readonly style: string } {
  if (made !== undefined) return made;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("main.ts", FOLDER))],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    write: false,
    logLevel: "silent",
  });
  const script = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  made = { script, style: readFileSync(new URL("report.css", FOLDER), "utf8") };
  return made;
}
