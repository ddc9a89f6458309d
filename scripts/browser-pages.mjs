// Builds the pages that servers of this machine send: for each its script bundled, its styles
// joined, and its index.html as it is.
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** Folders from which the pages are made, from the project's root. */
export const PAGE_SOURCES = ["assets/chart", "assets/cockpit", "assets/viewer"];

/** The pages: the folder of each, and the styles behind those of the charts. */
const PAGES = [
  { name: "cockpit", styles: ["assets/cockpit/cockpit.css"] },
  { name: "viewer", styles: ["assets/cockpit/cockpit.css", "assets/viewer/viewer.css"] },
];

/** Writes `NAME-page/index.html`, `NAME.js` and `NAME.css` of each page into a folder. */
export async function buildPages(root, folder) {
  for (const page of PAGES) {
    await buildPage(root, join(folder, `${page.name}-page`), page);
  }
}

async function buildPage(root, folder, { name, styles }) {
  const page = join(root, "assets", name);
  // A checkout of a test has no page.
  if (!existsSync(page)) {
    return;
  }
  // Loaded here, since only a build needs it.
  const { build } = await import("esbuild");
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(page, "main.ts")],
    outfile: join(folder, `${name}.js`),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
  });
  const files = [
    join(root, "assets/chart/palette.css"),
    createRequire(join(root, "package.json")).resolve("uplot/dist/uPlot.min.css"),
    join(root, "assets/chart/chart.css"),
    ...styles.map((style) => join(root, style)),
  ];
  writeFileSync(
    join(folder, `${name}.css`),
    files.map((file) => readFileSync(file, "utf8")).join("\n"),
  );
  copyFileSync(join(page, "index.html"), join(folder, "index.html"));
}
