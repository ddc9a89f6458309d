import { resolve } from "node:path";
import {
  defineReferenceSource,
  isReferenceSource,
  type ReferenceSourceModule,
} from "../../../reference/sources/define-reference-source.js";
import { type LoadedUserFile, loadUserFile, readExport } from "../../strategy/load-user-file.js";

/** A loaded source of the user's, and the warnings about its file. */
export interface LoadedReferenceModule extends Omit<LoadedUserFile, "exported"> {
  readonly source: ReferenceSourceModule;
}

/**
 * Loads a source of reference prices from a file of the user's, as strategies are loaded.
 * @param folder the YAML's own folder: the path is relative to it
 * @param field path of the file's name in the YAML, for errors
 * @throws ConfigError for a file that is missing, does not parse, fails while loading, or whose
 * default export is not a source
 */
export async function loadReferenceModule(
  path: string,
  folder: string,
  field: string,
): Promise<LoadedReferenceModule> {
  const loaded = await loadUserFile(resolve(folder, path), field, "source");
  const source = readExport(loaded, field, "source", (exported) =>
    isReferenceSource(exported) ? defineReferenceSource(exported.definition) : undefined,
  );
  return { ...loaded, source };
}
