/** Paths that only scanners ask for on a site that answers them with 4xx. */
const PROBE =
  /\/(?:\.env|\.git|\.svn|\.hg|\.aws|\.ssh|\.htpasswd|\.htaccess|\.DS_Store|\.vscode|wp-login\.php|wp-config|wp-includes|wp-content\/plugins|xmlrpc\.php|phpmyadmin|pma|myadmin|adminer|phpinfo|info\.php|shell\.php|cgi-bin|HNAP1|boaform|actuator|solr\/admin|manager\/html|server-status|vendor\/phpunit|eval-stdin|telescope|_ignition|owa\/auth|autodiscover|etc\/passwd|backup|config\.(?:php|json|yml|bak)|dump\.sql|id_rsa|setup\.cgi|struts|jenkins|console\/login)|\.(?:asp|aspx|jsp|cgi|bak|sql|old|swp)$|\.\.[/\\]|%2e%2e|<script|union\+select/i;

/** Whether a path, with its query, is one that scanners probe for. */
export const isProbe = (target: string): boolean => PROBE.test(target);
