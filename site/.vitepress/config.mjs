import { defineConfig } from "vitepress";
import { githubSlug } from "../github-slug.mjs";
import { sidebar } from "../sidebar.mjs";

export default defineConfig({
  title: "Marketwright",
  description: "Market-making and liquidation bots, with the exchange included",
  srcDir: "pages",
  outDir: "dist",
  // A browser asks for /favicon.ico otherwise.
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: { anchor: { slugify: githubSlug } },
  themeConfig: {
    nav: [
      { text: "All pages", link: "/all-pages" },
      { text: "API", link: "/api/" },
    ],
    outline: [2, 3],
    search: { provider: "local" },
    sidebar: sidebar(),
  },
});
