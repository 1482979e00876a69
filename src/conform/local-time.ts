/** An instant as a site's clock shows it, `2026-11-21 05:05:10`; undefined if the zone is not an IANA zone. */
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
