/** A page with the table of rooms as it is now, between its two marks. */
export function withRooms(page: string): string;
