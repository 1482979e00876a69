/** A word that says what a program is. */
const ROLE =
  /[\w.!-]*(?:bot|crawl|spider|slurp|preview|monitor|scan|fetch|check|index|search|archive|feed|client)[\w.!-]*/i;

/** The name by which a bot is known, as its user agent says. */
export function nameBot(userAgent: string): string {
  if (userAgent === "") return "(no user agent)";
  const [role] = ROLE.exec(userAgent.replace(/https?:\/\/\S+|\S+@\S+/g, "")) ?? [];
  if (role !== undefined) return role.replace(/^[.!-]+|[.!-]+$/g, "");
  const [, compatible] = /compatible; *([\w.-]+)/.exec(userAgent) ?? [];
  const [product = userAgent] = userAgent.split(/[/ (;]/);
  return compatible ?? (product === "" ? userAgent : product);
}
