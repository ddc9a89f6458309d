export function roomFiles(root: string): ReadonlyMap<string, string>;
export function roomsConfig(root: string): string;
