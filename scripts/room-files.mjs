// The only way in which tests, benchmarks and scripts name a file of src: `#room/file.js`, whatever
// folder of its room contains it. A file that moves inside its room leaves them unchanged.
// TypeScript and tsx read the folders from tsconfig.rooms.json, which `npm run docs` writes.
import { readdirSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

/**
 * The files of the rooms: `#room/file.js` to their paths from the project's root. If a room has two
 * files of one name, each is named with its folders: `#cli/usage/run.js`.
 */
export function roomFiles(root) {
  const named = new Map();
  for (const path of sourcesOf(root)) {
    const [, room, ...rest] = path.split("/");
    if (rest.length === 0) continue;
    const name = `#${room}/${rest.at(-1)}`;
    named.set(name, [...(named.get(name) ?? []), path]);
  }
  const files = new Map();
  for (const [name, paths] of named) {
    for (const path of paths) {
      const unique = paths.length === 1 ? name : path.replace(/^src\//, "#");
      files.set(unique.replace(/\.ts$/, ".js"), path);
    }
  }
  return files;
}

/**
 * The content of tsconfig.rooms.json: each room's folders, in the order in which they are searched.
 */
export function roomsConfig(root) {
  const folders = new Map();
  for (const path of sourcesOf(root)) {
    const [, room, ...rest] = path.split("/");
    if (rest.length === 0) continue;
    const known = folders.get(room) ?? new Set([`./src/${room}/*`]);
    folders.set(room, known.add(`./${posix.dirname(path)}/*`));
  }
  const paths = Object.fromEntries(
    [...folders].map(([room, known]) => [`#${room}/*`, [...known].sort()]),
  );
  return `${JSON.stringify({ compilerOptions: { paths } }, null, 2)}\n`;
}

function sourcesOf(root) {
  return readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}
