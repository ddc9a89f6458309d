import { capturedPriceOf } from "./value-captures.js";
import type { ValueAnswer, ValueJob } from "./value-pool.js";
import { runValue } from "./value-run.js";

/** A process of {@link runJobs}: runs the jobs that it is sent, one after the other. */
process.on("message", (job: ValueJob) => {
  void capturedPriceOf(job.seed)
    .then((price) => runValue({ ...job, price }))
    .then((run) => process.send?.({ job, run } satisfies ValueAnswer));
});
