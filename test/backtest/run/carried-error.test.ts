import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { deserialiseError, serialiseError } from "#backtest/serialised-error.js";
import { errorText, exitCodeFor } from "#cli/exit.js";
import { ConfigError, FormatError, MarketwrightError, RunError } from "#core/errors.js";
import { HistoryError } from "#history/history-errors.js";

/** An error as another thread receives it. */
function crossed(thrown: unknown): Error {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(serialiseError(thrown));
  const told = receiveMessageOnPort(port2)?.message as ReturnType<typeof serialiseError>;
  port1.close();
  return deserialiseError(told);
}

describe("an error that crosses from one thread to another", () => {
  // The field, the file and the exit code must be those of the same mistake in one thread.
  it.each([
    new ConfigError("is too large", {
      field: "fills.volumeShare",
      value: 3,
      expected: "at most 1",
    }),
    new RunError("cannot be written", { field: "report.json" }),
    new FormatError("is no decimal", {
      field: "account.creditQuote",
      value: "1e3",
      expected: "a decimal string",
    }),
    new HistoryError("/store/m/trades/2026-01-05.parquet", "price is no decimal in row 17", {
      value: "x",
    }),
  ])("is the same one: $constructor.name", (thrown) => {
    const there = crossed(thrown);
    expect(there).toBeInstanceOf(thrown.constructor);
    expect(there).toBeInstanceOf(MarketwrightError);
    for (const key of ["name", "message", "stack", "field", "value", "expected", "file"] as const)
      expect([key, (there as HistoryError)[key]]).toEqual([key, (thrown as HistoryError)[key]]);
    expect([errorText(there), exitCodeFor(there)]).toEqual([
      errorText(thrown),
      exitCodeFor(thrown),
    ]);
  });

  it("arrives with its name and stack for an unknown type", () => {
    const thrown = new TypeError("quotes.map is not a function");
    const there = crossed(thrown);
    expect(there).not.toBeInstanceOf(MarketwrightError);
    expect(there).toMatchObject({
      name: "TypeError",
      message: thrown.message,
      stack: thrown.stack,
    });
    expect(errorText(there)).toBe(errorText(thrown));
    expect(crossed("only words").message).toBe("only words");
  });

  it("arrives without the values that cannot be sent", () => {
    const cannot = { call: () => {} };
    const thrown = new RunError("broke", { field: "here", value: cannot, cause: cannot });
    expect(crossed(thrown)).toMatchObject({
      name: "RunError",
      message: thrown.message,
      field: "here",
    });
  });
});
