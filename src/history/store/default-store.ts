/** The default folder of the history, in the working directory. */
export const DEFAULT_STORE = "history";
