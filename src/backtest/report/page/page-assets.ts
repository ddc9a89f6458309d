import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** The same from `src` and from `dist`. */
const FOLDER = new URL("../../../../assets/report/", import.meta.url);
const CHART_STYLES = [
  fileURLToPath(new URL("../chart/palette.css", FOLDER)),
  createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css"),
  fileURLToPath(new URL("../chart/chart.css", FOLDER)),
];

/** Script and style that are embedded in a page: it loads nothing. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

const made = new Map<string, PageAssets>();

/**
 * Assets of the report's page, or of another page whose script begins in `entry`. Made once a
 * process.
 */
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
    style: [...CHART_STYLES, ...styles.map((name) => new URL(name, FOLDER))]
      .map((file) => readFileSync(file, "utf8"))
      .join("\n"),
  };
  made.set(entry, assets);
  return assets;
}
