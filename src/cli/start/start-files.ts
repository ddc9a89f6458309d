/** The key of a started bot's account. */
export const KEY_FILE = "key";
/**
 * Written when a start is over and its account has no open order, or never had one: its folder may
 * be removed.
 */
export const ENDED_FILE = "start-ended";
