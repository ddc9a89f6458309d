import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** From `src` and from `dist` alike. */
const FOLDER = new URL("../../../../assets/report/", import.meta.url);

/** Script and style of a page, to stand in it: a page asks for nothing. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const made = new Map<string, PageAssets>();

/** Of the report's page, or of another whose script begins in `entry`. Made once a process. */
export function pageAssets(
  entry = "main.ts",
  styles: readonly string[] = ["report.css"],
): PageAssets {
  const known = made.get(entry);
  if (known !== undefined) return known;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL(entry, FOLDER))],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    write: false,
    logLevel: "silent",
  });
  const script = (outputFiles[0]?.text ?? "").replaceAll("</script", "<\\/script");
  const assets = {
    script,
    style: styles.map((name) => readFileSync(new URL(name, FOLDER), "utf8")).join(""),
  };
  made.set(entry, assets);
  return assets;
}
