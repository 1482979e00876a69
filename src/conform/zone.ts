/** An instant as a site's clock shows it, `2026-11-21 05:05:10`; undefined for a zone that IANA has not. */
export function localTime(instant: number, timezone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("sv-SE", {
      timeZone: timezone,
      dateStyle: "short",
      timeStyle: "medium",
    }).format(instant);
  } catch {
    return undefined;
  }
}

/** The number of days from one date to another, both included. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
}
