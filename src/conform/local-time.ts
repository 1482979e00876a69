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
