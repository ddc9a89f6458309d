import { fileURLToPath } from "node:url";

export const SITE_ROOT = fileURLToPath(new URL(".", import.meta.url));
export const PROJECT_ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The source of the site, written anew by each build. */
export const PAGES = fileURLToPath(new URL("pages/", import.meta.url));
