import { describe, expect, it } from "vitest";
import { EventReader } from "../../../assets/cockpit/event-reader.js";

describe("server-sent events", () => {
  it("are joined from chunks that end anywhere", () => {
    const text =
      'event: bots\ndata: []\n\n: a comment\n\nevent: frame\r\ndata: {"a":\r\ndata: 1}\r\n\r\n';
    const expected = [
      { name: "bots", data: "[]" },
      { name: "frame", data: '{"a":\n1}' },
    ];
    for (let size = 1; size <= text.length; size++) {
      const reader = new EventReader();
      const events = [];
      for (let at = 0; at < text.length; at += size)
        events.push(...reader.push(text.slice(at, at + size)));
      expect(events, `chunks of ${size}`).toEqual(expected);
    }
  });

  it("refuse an event without an end", () => {
    const reader = new EventReader();
    expect(() => reader.push(`data: ${"x".repeat(5_000_000)}`)).toThrow(RangeError);
  });
});
