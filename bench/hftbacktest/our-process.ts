// Our side of the comparison with hftbacktest: says that it is ready, then answers `fills` and `time SECONDS`, a line each.
import { createInterface } from "node:readline";
import { bookTape } from "../market-tape.js";
import type { Timed } from "./engine-process.js";
import { scriptOn } from "./script.js";
import { scriptedQuotes } from "./scripted-quotes.js";

const { tape } = bookTape();
const script = scriptOn(tape);
scriptedQuotes(tape, script);
answer({ messages: tape.messages });
for await (const line of createInterface({ input: process.stdin })) {
  const [asked, seconds] = line.split(" ");
  answer(asked === "fills" ? scriptedQuotes(tape, script) : timed(Number(seconds)));
}

function answer(said: object): void {
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

/** Runs until so many seconds of the processor are gone, all threads of this process counted: two processes share no clock on a busy machine. */
function timed(leastSeconds: number): Timed {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    scriptedQuotes(tape, script);
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1_000_000;
    if (seconds >= leastSeconds) return { runs, seconds };
  }
}
