/*
 * What scanners ask for: paths of a kind that no site links to. A kind is no sign of a scanner on a day on which the site
 * answers such a path with a page: an old site has its `.aspx` pages, and its broken links, too.
 */

interface ProbeKind {
  /** Of a path with its query. */
  asked: RegExp;
  /** Of a page without its query: a site that has such a page is not probed by this kind. */
  served?: RegExp;
}

const end = "(?=$|[/?#])";

/** At most `MAX_KINDS`. A path is of the first kind that matches; extensions come last. */
const KINDS: readonly ProbeKind[] = [
  // Files that servers hide, and those of the system.
  {
    asked:
      /\/\.(?:env|git|svn|hg|bzr|aws|ssh|kube|npmrc|netrc|bash_history|htpasswd|htaccess|DS_Store|vscode|idea)(?![a-z0-9])|\/\.git(?:ignore|config|-credentials)|\/(?:id_rsa|id_dsa|id_ed25519)(?![a-z0-9])|(?:\/|%2f)etc(?:\/|%2f)(?:passwd|shadow)/i,
  },
  { asked: new RegExp(`/wp-login\\.php${end}`, "i") },
  { asked: new RegExp(`/xmlrpc\\.php${end}`, "i") },
  // WordPress: styles and images of a plugin that is gone are missing files of pages.
  {
    asked:
      /\/wp-config|\/wp-includes\/(?:wlwmanifest\.xml|(?:[^?#]*\/)?(?:[^/?#]+\.php)?(?=$|[?#]))|\/wp-content\/plugins\/(?:[^/?#]+\/)?(?:readme\.txt)?(?=$|[?#])|\/wp-content\/(?:plugins|themes|uploads)\/[^?#]*\.php(?=$|[/?#])|\/wp-admin\/(?:setup(?:-config)?|install)\.php/i,
  },
  // Tools that manage databases.
  { asked: /\/(?:phpmyadmin|pma|myadmin|mysqladmin|dbadmin|adminer)(?=$|[/?#._-]|\d)/i },
  // Names of PHP files that tell about a server, or that an intruder left.
  { asked: /\/(?:phpinfo|php_info)(?:\.php)?(?=$|[/?#])/i },
  {
    asked:
      /\/(?:info|shell|test|cmd|webshell|upload|up|alfa|wso|c99|r57)\.php(?=$|[?#])|\/config\.php(?=$|[?#])/i,
    served: /\.php$/i,
  },
  // Consoles and known holes of frameworks, application servers and routers.
  {
    asked:
      /\/vendor\/(?:[^?#]*\/)?phpunit|\/eval-stdin|\/_ignition\/|\/_profiler\/(?:phpinfo|open)|\/telescope\/requests|\/actuator(?:\/[a-z]|$|[?#])|\/solr\/(?:admin|[^/?#]+\/select)|\/manager\/(?:html|text)(?=$|[/?#])|\/server-(?:status|info)(?=$|[?#])|\/hnap1|\/boaform|\/gponform|\/setup\.cgi|\/owa\/auth|\/ecp\/|\/autodiscover\/autodiscover\.|\/console\/login\/loginform|\/jenkins\/(?:login|script|manage)|\/struts2?-[a-z-]*showcase|\/cgi-bin\/(?:luci|\.)|\/\+cscoe\+\/|\/remote\/fgt_lang|\/geoserver\/web|\/invoker\/(?:jmx|readonly)|\/jmx-console|\/axis2?-admin|\/druid\/(?:index|login)\.html|\/nacos\/v1/i,
  },
  // Browsers resolve dots in a path and escape brackets, so no link leads there.
  {
    asked:
      /^[^?#]*(?:\/|%2f)(?:\.|%2e){2}(?:[/\\]|%2f|%5c)|(?:\.\.(?:[/\\]|%2f|%5c)){3}|<script|union(?:\+|%20)(?:all(?:\+|%20))?select/i,
  },
  // Copies of a site, of its database and of its settings.
  {
    asked:
      /^\/(?:[^/?#]+\/)?(?:backups?|dump|db|database|mysql|mysqldump|data|sql|site|website|www|wwwroot|web|html|htdocs|public_html|localhost|wordpress|users?)\.(?:sql(?:\.gz)?|zip|rar|7z|tar|tgz|tar\.gz|gz|bz2|bak)(?=$|[?#])|\.(?:bak|swp)(?=$|[?#])|\.(?:php\d?|html?|asp|aspx|jsp|conf|cfg|ini|inc|env|ya?ml|json|xml|js)[._~-]?(?:old|orig|save|bak|backup|copy|~)(?=$|[?#])|\/config\.(?:bak|ya?ml|inc)(?=$|[?#])/i,
    served: /\.(?:bak|old|swp)$/i,
  },
  // Languages that few sites are written in.
  { asked: /\.asp(?=$|[?#;])/i, served: /\.asp$/i },
  { asked: /\.as(?:px|hx|mx)(?=$|[/?#;])/i, served: /\.as(?:px|hx|mx)(?:$|\/)/i },
  { asked: /\.jspx?(?=$|[/?#;])/i, served: /\.jspx?(?:$|[/;])/i },
  { asked: /\/cgi-bin\/|\.cgi(?=$|[/?#;])/i, served: /\/cgi-bin\/|\.cgi(?:$|\/)/i },
];

/** Two bits of a number of 32 bits each. */
const MAX_KINDS = 16;
/** What two bits can count to, and how many probes make a scanner. */
export const MIN_PROBES = 3;

if (KINDS.length > MAX_KINDS)
  throw new RangeError("There are more kinds of probes than a number has room for.");

/** Most refused requests match none, which one expression finds faster than all of them. */
const ANY = new RegExp(KINDS.map(({ asked }) => asked.source).join("|"), "i");

/** No probe is longer, and some expressions are quadratic in the length. */
const MAX_LENGTH = 1_000;

/** The number of the kind of a probe; -1 if the path, with its query, is none. */
export function findProbeKind(target: string): number {
  const text = target.slice(0, MAX_LENGTH);
  return ANY.test(text) ? KINDS.findIndex(({ asked }) => asked.test(text)) : -1;
}

/** Adds a probe to a sender's probes: by kind, the number of requests up to `MIN_PROBES`. */
export function addProbe(probes: number, kind: number): number {
  const shift = 2 * kind;
  return ((probes >>> shift) & 3) === MIN_PROBES ? probes : (probes + 2 ** shift) >>> 0;
}

/** The number of probes, up to `MIN_PROBES` of each kind but the ones that are left out. */
export function countProbes(probes: number, isLeftOut: (kind: number) => boolean = () => false): number {
  let count = 0;
  for (let kind = 0; kind < KINDS.length; kind++) {
    if (!isLeftOut(kind)) count += (probes >>> (2 * kind)) & 3;
  }
  return count;
}

/** Whether no old link leads to paths of a kind. It may to a page of another language, or to a file that was there once. */
export const isUnmistakable = (kind: number): boolean => KINDS[kind]?.served === undefined;

/** The kinds that a site has pages of. */
export function findServedKinds(paths: Iterable<string>): Set<number> {
  const found = new Set<number>();
  for (const path of paths) {
    for (const [kind, { asked, served = asked }] of KINDS.entries()) if (served.test(path)) found.add(kind);
  }
  return found;
}
