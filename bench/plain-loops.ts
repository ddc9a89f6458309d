import { Worker } from "node:worker_threads";
import { effort } from "./effort.js";

/** Steps of one loop: about a second. */
const STEPS = effort(1_000_000_000, 1000);

/** Integers only: no memory, no garbage, and no other code to compile. It begins on a message. */
const LOOP = `
const { parentPort, workerData: steps } = require("node:worker_threads");
const loop = (count) => {
  let held = 1;
  for (let step = 0; step < count; step++) held = (Math.imul(held, 1664525) + step) | 0;
  return held;
};
loop(100_000);
parentPort.on("message", () => parentPort.postMessage(loop(steps)));
`;

/**
 * The work of two concurrent threads on this machine, relative to one alone: 2 if both cores are
 * free. It is a yardstick for measurements on two threads in the same run, since other work of the
 * machine slows both equally.
 */
export async function twoLoopsTimesOne(): Promise<number> {
  const [one, two] = [await secondsOf(1), await secondsOf(2)];
  return (2 * one) / two;
}

async function secondsOf(threads: number): Promise<number> {
  const workers = Array.from(
    { length: threads },
    () => new Worker(LOOP, { eval: true, execArgv: [], workerData: STEPS }),
  );
  try {
    await Promise.all(workers.map((worker) => heard(worker, "online")));
    const start = performance.now();
    await Promise.all(
      workers.map((worker) => {
        const answer = heard(worker, "message");
        worker.postMessage("begin");
        return answer;
      }),
    );
    return (performance.now() - start) / 1000;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function heard(worker: Worker, event: "online" | "message"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once(event, resolve);
    worker.once("error", reject);
  });
}
