/** A foreign text in one line, without characters that turn the order of letters. */
export function toPlainLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, " ").trim();
}
