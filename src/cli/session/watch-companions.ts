import type { OpenLog } from "../../monitoring/log.js";
import type { Companion } from "./companion.js";

/** Processes that were started beside a bot. */
export interface Companions {
  /** Those that run, or will by the time that `starting` is done. */
  readonly companions?: readonly Companion[];
  /** Until when some are still being started; rejects when one does not start. */
  readonly starting?: Promise<void>;
}

/**
 * Has the log say when a companion ends or does not start: the bot goes on without it, and whoever reads the log shall know that it does.
 * @returns what ends this.
 */
export function watchCompanions(
  { companions = [], starting: beside }: Companions,
  log: OpenLog,
): () => void {
  let over = false;
  const watched = new Set<Companion>();
  const watch = (): void => {
    for (const companion of companions) {
      if (watched.has(companion)) continue;
      watched.add(companion);
      void companion.ended.then((why) => {
        if (!over) log.error({ companion: companion.name, why }, `the ${companion.name} has ended`);
      });
    }
  };
  watch();
  beside?.then(watch, (error: unknown) => {
    if (!over) log.error({ error }, "what should run beside the bot did not start");
  });
  return () => {
    over = true;
  };
}
