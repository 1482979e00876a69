import { AnalyticsError, quoteWord } from "../errors.ts";
import { normalizeSite } from "../operations/site-name.ts";

/** Which sites an organization has. */
export interface SiteSelection {
  /** As `readSitePattern` returns them. */
  patterns: readonly string[];
  /** The domains that are named in full. */
  names: ReadonlySet<string>;
  /** Whether a domain is named, or is below one that is. */
  includes(domain: string): boolean;
}

export const ALL = "*";
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Reads a site of an organization as a person may write it: a domain, `*.` and a domain for all hosts below it, or `*`
 * for every site. Throws AnalyticsError `usage`.
 */
export function readSitePattern(text: string): string {
  const given = text.trim();
  if (given === ALL) return ALL;
  const [, parent] = /^\*\.(.+)$/s.exec(given) ?? [];
  // `www.` stays: without it, *.www.acme.example would mean *.acme.example.
  const domain = parent === undefined ? normalizeSite(given).toLowerCase() : readHostname(parent);
  const isHost = HOST.test(domain) && domain.length <= 253 && !/^[\d.]+$/.test(domain);
  // *.com would be a mistake that shows an organization nearly every site.
  if (!isHost || (parent !== undefined && !domain.includes("."))) throw createPatternError(given);
  return parent === undefined ? domain : `*.${domain}`;
}

/** The ASCII form of a host name. Any other text is returned unchanged, and refused later. */
function readHostname(text: string): string {
  // URL would also accept a port, a path and more.
  if (/[^\p{L}\p{N}\p{M}._-]/u.test(text)) return text;
  try {
    return new URL(`http://${text}`).hostname.replace(/\.$/, "");
  } catch {
    return text;
  }
}

/** @param patterns As `readSitePattern` returns them. */
export function selectSites(patterns: readonly string[]): SiteSelection {
  const names = new Set(patterns.filter((pattern) => !pattern.startsWith(ALL)));
  const endings = patterns.flatMap((pattern) => (pattern.startsWith("*.") ? [pattern.slice(1)] : []));
  const isAll = patterns.includes(ALL);
  return {
    patterns,
    names,
    includes: (domain) => isAll || names.has(domain) || endings.some((ending) => domain.endsWith(ending)),
  };
}

function createPatternError(given: string): AnalyticsError {
  const isTop = /^\*\.[^.]+\.?$/.test(given);
  return new AnalyticsError(
    "usage",
    isTop
      ? `${quoteWord(given)} would include the sites of everybody under that name.`
      : `${quoteWord(given)} is not a site: it must be a domain, or *. and a domain.`,
    {
      hint: "Write acme.example for one site, '*.acme.example' for all hosts below it, or '*' for every site.",
    },
  );
}
