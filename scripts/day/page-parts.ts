import { between } from "../interface/markdown.js";

const WRITTEN_BY = "npm run day-pictures";

/** A command with what it prints. */
export function commandPart(command: string, output: string): string {
  return `${fenced("sh", command)}\n\n${fenced("text", output)}`;
}

/** A command with a picture of what it shows. */
export function picturePart(command: string, picture: string, alt: string): string {
  return `${fenced("sh", command)}\n\n![${alt}](pictures/${picture})`;
}

/** An output without its command. */
export function outputPart(output: string): string {
  return fenced("text", output);
}

/** A page with its parts of these names replaced. */
export function withParts(page: string, parts: ReadonlyMap<string, string>): string {
  return [...parts].reduce((text, [name, part]) => between(text, name, part, WRITTEN_BY), page);
}

function fenced(language: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  return `\`\`\`${language}\n${lines.map((line) => line.trimEnd()).join("\n")}\n\`\`\``;
}
