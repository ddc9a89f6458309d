import type { SetAside } from "./set-aside.js";
import type { StateStore } from "./state-dir.js";

/** The state of a run that no later run continues: it begins with none, and leaves none. */
export class DiscardingStore implements StateStore {
  readonly isDiscarded = true;

  names(): readonly string[] {
    return [];
  }

  read(): undefined {
    return undefined;
  }

  readTail(): undefined {
    return undefined;
  }

  write(): void {}

  writeBehind(): void {}

  writeLater(): void {}

  append(): void {}

  setAside(folder: string): SetAside {
    return { folder, names: [] };
  }

  takeBack(): readonly string[] {
    return [];
  }

  close(): void {}
}
