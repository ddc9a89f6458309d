import { currentProcessName } from "#core/process-life.js";

/**
 * Lock texts of processes that had this process id: earlier, and in another container. Empty if the
 * system identifies a process only by its id.
 */
export function othersOfThisId(): readonly {
  readonly name: string;
  readonly isElsewhere: boolean;
}[] {
  const [id, tick, boot, container] = currentProcessName().split(".");
  if (tick === undefined) return [];
  return [
    { name: [id, Number(tick) - 1, boot, container].join("."), isElsewhere: false },
    { name: [id, tick, boot, "1"].join("."), isElsewhere: true },
  ];
}
