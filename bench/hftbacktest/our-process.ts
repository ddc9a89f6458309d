// Our side of the comparison with hftbacktest: reports that it is ready, then responds to `fills`
// and `time SECONDS` with a line each.
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

/**
 * Repeats runs until `leastSeconds` of processor time have passed, all threads of this process
 * included. Wall time would depend on the machine's other work.
 */
function timed(leastSeconds: number): Timed {
  const before = process.cpuUsage();
  for (let runs = 1; ; runs += 1) {
    scriptedQuotes(tape, script);
    const { user, system } = process.cpuUsage(before);
    const seconds = (user + system) / 1_000_000;
    if (seconds >= leastSeconds) return { runs, seconds };
  }
}
