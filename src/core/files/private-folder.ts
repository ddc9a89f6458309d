import { chmodSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RunError } from "../errors.js";
import { makeFolder } from "./make-folder.js";

const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
/** In a folder with this bit, only the owner of an entry may remove or rename it. */
const STICKY = 0o1000;
const ROOT = 0;

/**
 * Ensures that no other user may write to a folder, or replace it. Creates the folder, mode 0700,
 * if it does not exist. Removes other users' write permission if the folder is this user's own.
 * @param field the setting that names the folder, for the error.
 * @returns true if the permissions were repaired.
 * @throws RunError if it cannot be created, if others may write to it or to a parent, or if others
 * have left files in it
 */
export function ensurePrivateFolder(directory: string, field: string): boolean {
  make(directory, field);
  const uid = process.getuid?.();
  // Not a Unix system: there are no such permissions.
  if (uid === undefined) return false;
  const folder = realpathSync(directory);
  const refuse = (path: string, summary: string, expected: string): RunError =>
    new RunError(summary, { field, value: path, expected });
  // A link on the path can be replaced in its own folder.
  const open = [...foldersAbove(folder), ...foldersAbove(resolve(directory))].find((above) =>
    mayReplaceEntries(above, uid),
  );
  if (open !== undefined) {
    const expected = `a folder above that only its owner may write to: chmod go-w ${open}`;
    throw refuse(folder, `may be replaced by other users, who may write to ${open}`, expected);
  }
  const { uid: owner, mode } = statSync(folder);
  if (owner !== uid && owner !== ROOT && uid !== ROOT)
    throw refuse(folder, `belongs to user ${owner}`, `a folder of user ${uid}`);
  if ((mode & (OTHERS_WRITE | GROUP_WRITES)) === 0) return false;
  if (owner !== uid && uid !== ROOT)
    throw refuse(
      folder,
      "may be written to by other users",
      `a folder of user ${uid} with mode 0700`,
    );
  chmodSync(folder, 0o700);
  if ((statSync(folder).mode & (OTHERS_WRITE | GROUP_WRITES)) !== 0)
    throw refuse(
      folder,
      "may be written to by other users, and its mode cannot be changed",
      "a folder on a file system with permissions",
    );
  const foreign = readdirSync(folder).filter(
    (name) => ![uid, owner, ROOT].includes(lstatSync(join(folder, name)).uid),
  );
  if (foreign.length === 0) return true;
  throw refuse(
    folder,
    `holds files of other users (${foreign.slice(0, 3).join(", ")}), who could write to it`,
    "only files of this user: check the others, then remove them",
  );
}

function make(directory: string, field: string): void {
  try {
    makeFolder(directory);
  } catch (cause) {
    const reason =
      cause instanceof Error
        ? "code" in cause
          ? String(cause.code)
          : cause.message
        : String(cause);
    throw new RunError(`cannot make ${directory} (${reason})`, {
      field,
      expected: "a folder that this user may write, on a disk with room",
      cause,
    });
  }
}

function* foldersAbove(folder: string): Generator<string> {
  for (
    let above = dirname(folder), below = folder;
    above !== below;
    below = above, above = dirname(above)
  )
    yield above;
}

function mayReplaceEntries(folder: string, uid: number): boolean {
  const { mode, gid } = statSync(folder);
  if ((mode & STICKY) !== 0) return false;
  return (mode & OTHERS_WRITE) !== 0 || ((mode & GROUP_WRITES) !== 0 && isShared(gid, uid));
}

/**
 * Returns true if a group has members besides root and this user. Many systems give each user a
 * group of its own, with write permission.
 */
function isShared(gid: number, uid: number): boolean {
  if (gid === ROOT) return false;
  const users = entriesOf("/etc/passwd").map(([name, , id, group]) => ({
    name,
    uid: Number(id),
    gid: Number(group),
  }));
  const trusted = new Set(
    users.filter((user) => user.uid === uid || user.uid === ROOT).map(({ name }) => name),
  );
  const group = entriesOf("/etc/group").find(([, , id]) => Number(id) === gid);
  // For a group that the system does not list, as in a container, this user is the known member.
  if (group === undefined && process.getgid?.() !== gid) return true;
  const listed = (group?.[3] ?? "").split(",").filter((name) => name !== "");
  const primary = users.filter((user) => user.gid === gid).map(({ name }) => name);
  return [...listed, ...primary].some((name) => !trusted.has(name));
}

function entriesOf(path: string): readonly (readonly string[])[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    // A system without such a file.
    return [];
  }
}
