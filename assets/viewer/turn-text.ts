/** A time of the day to the millisecond, UTC. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

/** A day and a time to the millisecond, UTC. */
export function instantText(atMs: number): string {
  return new Date(atMs).toISOString().replace("T", " ").replace("Z", "");
}

/**
 * The instant that a reader has typed: a whole UTC time, or a time of the day of another instant;
 * undefined for a turn's number.
 */
export function typedTime(text: string, dayOfMs: number): string | undefined {
  if (/^\d+$/.test(text)) return undefined;
  const isClock = /^\d{1,2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text);
  if (!isClock) return text;
  const day = new Date(dayOfMs).toISOString().slice(0, 10);
  return `${day}T${/^\d:/.test(text) ? "0" : ""}${text}`;
}
