import { currentProcessName } from "#core/process-life.js";

/** Names of processes that had this one's id: before it, and in another container. None where a system tells no more of a process than its id. */
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
