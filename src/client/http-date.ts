/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). `Date.parse` alone would accept "after 2099" and "-5". */
const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]+, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/;

/** Milliseconds since 1970; undefined if the text is not an HTTP date. */
export function readHttpDate(text: string | null | undefined): number | undefined {
  const given = text?.trim() ?? "";
  if (!HTTP_DATE.test(given)) return undefined;
  const time = Date.parse(given.endsWith("GMT") ? given : `${given} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
