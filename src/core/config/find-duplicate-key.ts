const [QUOTE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST, COMMA] = [
  34, 92, 123, 125, 91, 93, 44,
];

/**
 * Finds the first duplicate key in a JSON object, at any depth; undefined if there is none.
 * `JSON.parse` takes the last value of such a key, other parsers the first. One side may then act
 * on another value than the other has checked.
 * @param text well-formed JSON: call `JSON.parse` first to reject anything else.
 */
export function findDuplicateKey(text: string): string | undefined {
  /** The keys of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  // A text within an object is a key if none has come since the brace or the comma.
  let mayBeKey = false;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(text, at);
        const keys = open.at(-1);
        if (mayBeKey && keys !== null && keys !== undefined) {
          // Escapes can spell the same key in another way.
          const key = JSON.parse(text.slice(at, end)) as string;
          if (keys.has(key)) return key;
          keys.add(key);
          mayBeKey = false;
        }
        at = end - 1;
        break;
      }
      case OPEN_OBJECT:
        open.push(new Set());
        mayBeKey = true;
        break;
      case OPEN_LIST:
        open.push(null);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        open.pop();
        mayBeKey = false;
        break;
      case COMMA:
        mayBeKey = true;
        break;
      default:
    }
  }
  return undefined;
}

/** Position after the closing quote. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}
