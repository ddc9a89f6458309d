/** The folder of the history where none is named, in the working directory. */
export const DEFAULT_STORE = "history";
