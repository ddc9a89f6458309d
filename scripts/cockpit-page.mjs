// Builds the cockpit's page from assets/cockpit: its script bundled, its style joined, and
// index.html as it is. The server of the cockpit sends these three files.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Folders from which the page is made, from the project's root. */
export const COCKPIT_SOURCES = ["assets/chart", "assets/cockpit"];

/** Writes `index.html`, `cockpit.js` and `cockpit.css` into a folder. */
export async function buildCockpitPage(root, folder) {
  const page = join(root, "assets/cockpit");
  // A checkout of a test has no page.
  if (!existsSync(page)) {
    return;
  }
  // Loaded here, since only a build needs it.
  const { build } = await import("esbuild");
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(page, "main.ts")],
    outfile: join(folder, "cockpit.js"),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const styles = [
    join(root, "assets/chart/palette.css"),
    createRequire(join(root, "package.json")).resolve("uplot/dist/uPlot.min.css"),
    join(root, "assets/chart/chart.css"),
    join(page, "cockpit.css"),
  ];
  writeFileSync(
    join(folder, "cockpit.css"),
    styles.map((file) => readFileSync(file, "utf8")).join("\n"),
  );
  copyFileSync(join(page, "index.html"), join(folder, "index.html"));
}
