import { RunError } from "../../core/errors.js";

/** The part of `process.stdin` that is needed to type a secret. */
interface SecretInput {
  setRawMode(on: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  resume(): unknown;
  pause(): unknown;
  unshift(text: string, encoding: "utf8"): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  off(event: "end", listener: () => void): unknown;
}

const ENTER = /[\r\n]/;
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const ERASE = /[\b\u007f]/;

/**
 * Prompts for one line at a terminal without showing it: raw mode, so that nothing is echoed.
 * Backspace deletes a character, Ctrl-U all.
 * @param output gets the prompt and the line's end, but not the input.
 * @throws RunError when the user cancels with Ctrl-C, or with Ctrl-D at the start.
 */
export function promptSecret(
  prompt: string,
  input: SecretInput,
  output: { write(text: string): unknown },
): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (settle: () => void): void => {
      input.off("data", take);
      input.off("end", ended);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      settle();
    };
    const giveUp = (): void =>
      end(() =>
        reject(new RunError("nothing was typed", { expected: prompt.replace(/:\s*$/, "") })),
      );
    const ended = giveUp;
    const take = (text: string): void => {
      let taken = 0;
      for (const character of text) {
        taken += character.length;
        if (ENTER.test(character)) {
          const ahead = text.slice(taken);
          return end(() => {
            // Input typed ahead answers the next prompt.
            if (ahead !== "") input.unshift(ahead, "utf8");
            resolve(typed.join(""));
          });
        }
        if (character === CTRL_C || (character === CTRL_D && typed.length === 0)) return giveUp();
        if (ERASE.test(character)) typed.pop();
        else if (character === CTRL_U) typed = [];
        else if (character >= " ") typed.push(character);
      }
    };
    // Before the prompt, so that early input is not echoed either.
    input.setRawMode(true);
    input.setEncoding("utf8");
    output.write(prompt);
    input.on("data", take);
    input.on("end", ended);
    input.resume();
  });
}
