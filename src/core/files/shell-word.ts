/**
 * A word that a POSIX shell reads as the path, for commands that a person copies: quoted only where
 * it must be.
 */
export function shellWord(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) && !path.startsWith("-")
    ? path
    : `'${(path.startsWith("-") ? `./${path}` : path).replaceAll("'", "'\\''")}'`;
}
