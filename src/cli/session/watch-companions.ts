import type { OpenLog } from "../../monitoring/log.js";
import type { Companion } from "./companion.js";

/** Processes started beside a bot. */
export interface Companions {
  /** Companions that run, or will once `starting` resolves. */
  readonly companions?: readonly Companion[];
  /** Resolves when all are started; rejects when one does not start. */
  readonly starting?: Promise<void>;
}

/**
 * Logs when a companion ends or does not start: the bot continues without it, and the log must show
 * that.
 * @returns a function that stops this.
 */
export function watchCompanions(
  { companions = [], starting }: Companions,
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
  starting?.then(watch, (error: unknown) => {
    if (!over) log.error({ error }, "what should run beside the bot did not start");
  });
  return () => {
    over = true;
  };
}
