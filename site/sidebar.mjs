// The sidebar of the site: the shelves of docs, each page by its first heading in the order of the
// index, and the two entries of the API.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PAGES, PROJECT_ROOT } from "./folders.mjs";

const SHELVES = ["start", "guides", "reference", "ideas"];

/** @returns {import("vitepress").DefaultTheme.SidebarItem[]} */
export function sidebar() {
  const index = readFileSync(join(PROJECT_ROOT, "docs/README.md"), "utf8");
  return [
    ...SHELVES.flatMap((shelf) => shelfItems(shelf, index)),
    // An entry's own page lists its exports: hundreds of links here would stand in every page.
    {
      text: "API",
      collapsed: false,
      items: [
        "api/marketwright/index.md",
        "api/marketwright/exchange/index.md",
        "api/marketwright/testing/index.md",
      ].map(pageItem),
    },
    {
      text: "Project",
      collapsed: true,
      items: ["contributing", "changelog", "security"].map((name) =>
        pageItem(`project/${name}.md`),
      ),
    },
  ];
}

/** One shelf, or nothing where it has no page. */
function shelfItems(shelf, index) {
  if (!existsSync(join(PAGES, shelf))) return [];
  const pages = readdirSync(join(PAGES, shelf))
    .map((name) => `${shelf}/${name}`)
    .sort((one, other) => index.indexOf(`](${one})`) - index.indexOf(`](${other})`));
  const text = `${shelf[0].toUpperCase()}${shelf.slice(1)}`;
  return [{ text, collapsed: false, items: pages.map(pageItem) }];
}

function pageItem(path) {
  const [, title] = /^# (.+)$/m.exec(readFileSync(join(PAGES, path), "utf8")) ?? [];
  if (title === undefined) throw new Error(`${path} has no first heading to be listed by`);
  return { text: title, link: `/${path.replace(/(index)?\.md$/, "")}` };
}
