import { Worker } from "node:worker_threads";
import { effort } from "./effort.js";

/** Steps of one loop: about a second. */
const STEPS = effort(1_000_000_000, 1000);

/** Integers alone: no memory, no garbage, nothing to compile but this. It begins when it is told. */
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
 * How much two threads of this machine get done beside each other, of what one does alone: 2 where both cores are free. A yardstick for whatever is measured on two
 * threads in the same run, since what else goes on here takes as much from them.
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
