/** A page with the current table of rooms between its two marks. */
export function withRooms(page: string): string;
