import { createLiveRuntime } from "#core/live-runtime.js";

const { clock } = createLiveRuntime();

/** Asks again and again, and gives up when it never becomes so. */
export async function until<T>(
  ask: () => Promise<T> | T,
  isSo: (answer: T) => boolean,
): Promise<T> {
  let answer = await ask();
  for (let tries = 0; !isSo(answer); tries++) {
    if (tries > 1200) throw new Error(`it never became so: ${JSON.stringify(answer)}`);
    await new Promise<void>((resolve) => clock.setTimer(100, resolve));
    answer = await ask();
  }
  return answer;
}
