/** A server-sent event. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Most characters of an event that is not complete yet. */
const MOST_PENDING = 4_000_000;

/** Joins chunks of a stream into server-sent events. */
export class EventReader {
  #pending = "";

  /** @throws RangeError if an event is too long. */
  push(chunk: string): readonly ServerEvent[] {
    const blocks = (this.#pending + chunk.replaceAll("\r", "")).split("\n\n");
    this.#pending = blocks.pop() ?? "";
    if (this.#pending.length > MOST_PENDING) throw new RangeError("an event is too long");
    return blocks.flatMap((block) => {
      let name = "message";
      const data: string[] = [];
      for (const line of block.split("\n")) {
        if (line.startsWith("event:")) name = line.slice(6).trim();
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
      }
      return data.length === 0 ? [] : [{ name, data: data.join("\n") }];
    });
  }
}
