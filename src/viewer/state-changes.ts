/** A value that a turn set, by the keys that lead to it; without a value, one that it removed. */
export type StateChange =
  | readonly [path: readonly string[]]
  | readonly [path: readonly string[], value: unknown];

type Mapping = Record<string, unknown>;

/** Lists the changes that turn one JSON document into another. A list of another length is one. */
export function listStateChanges(before: object, after: object): readonly StateChange[] {
  const changes: StateChange[] = [];
  collect(before as Mapping, after as Mapping, [], changes);
  return changes;
}

/** Applies changes to a document, which is written to. */
export function applyStateChanges(document: object, changes: readonly StateChange[]): void {
  for (const [path, ...values] of changes) {
    const last = path.at(-1);
    if (last === undefined) continue;
    let held = document as Mapping;
    for (const key of path.slice(0, -1)) held = held[key] as Mapping;
    if (values.length === 0) delete held[last];
    else held[last] = values[0];
  }
}

function collect(
  before: Mapping,
  after: Mapping,
  path: readonly string[],
  changes: StateChange[],
): void {
  for (const key of Object.keys(before))
    if (before[key] !== undefined && after[key] === undefined) changes.push([[...path, key]]);
  for (const [key, value] of Object.entries(after)) {
    const was = before[key];
    if (value === undefined || Object.is(was, value)) continue;
    if (isSameKind(was, value)) collect(was as Mapping, value as Mapping, [...path, key], changes);
    else changes.push([[...path, key], value]);
  }
}

/** True for two mappings, and for two lists of one length. */
function isSameKind(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return false;
  if (!Array.isArray(one)) return !Array.isArray(other);
  return Array.isArray(other) && one.length === other.length;
}
