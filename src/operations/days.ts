const DAY_MS = 86_400_000;
const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);

/** `day` moved by whole days: calendar arithmetic, free of timezones. */
export function addDays(day: string, days: number): string {
  return new Date(startOf(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** How many days there are from one to another, both included. */
export function countDays(from: string, to: string): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS) + 1;
}
