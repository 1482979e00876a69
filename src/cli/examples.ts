/** What people do with each command, shown first in its help; the program's own under the empty name. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  "": [
    "analytics-mcp overview --demo --site example.com",
    "analytics-mcp stats --site example.com --days 7",
    "analytics-mcp breakdown --site example.com --dimension referrers --days 7",
    "analytics-mcp timeseries --site example.com --days 30 --csv > visitors.csv",
  ],
  sites: ["analytics-mcp sites", "analytics-mcp sites --fields domain,timezone"],
  stats: [
    "analytics-mcp stats --site example.com --days 7",
    "analytics-mcp stats --site example.com --days 1 --json | jq .visitors",
  ],
  timeseries: [
    "analytics-mcp timeseries --site example.com --days 90",
    "analytics-mcp timeseries --site example.com --csv > visitors.csv",
  ],
  breakdown: [
    "analytics-mcp breakdown --site example.com --dimension pages --days 7",
    "analytics-mcp breakdown --site example.com --dimension countries --limit 1000 --csv",
  ],
  realtime: [
    "analytics-mcp realtime --site example.com",
    "analytics-mcp realtime --site example.com --watch",
  ],
  openapi: ["analytics-mcp openapi --json > openapi.json"],
  overview: [
    "analytics-mcp overview --site example.com",
    "analytics-mcp overview --site example.com --days 7",
  ],
  compare: [
    "analytics-mcp compare --site example.com --days 28",
    "analytics-mcp compare --site example.com --dimension referrers",
  ],
  config: [
    "analytics-mcp config claude-desktop",
    "analytics-mcp config cursor --remote https://mcp.example.com/mcp",
    "analytics-mcp config codex --write --dry-run",
  ],
  serve: [
    "analytics-mcp serve --demo",
    "analytics-mcp serve --base-url https://stats.example.com --public-url https://connector.example.com",
  ],
  grants: ["analytics-mcp grants list", "analytics-mcp grants revoke <grant>"],
  clients: ["analytics-mcp clients list"],
  completion: [
    'eval "$(analytics-mcp completion bash)"',
    "analytics-mcp completion fish > ~/.config/fish/completions/analytics-mcp.fish",
  ],
  reference: ["analytics-mcp reference --port 8787"],
  login: [
    "analytics-mcp login",
    "analytics-mcp login --profile acme --base-url https://stats.example.com",
    "pass show analytics | analytics-mcp login --base-url https://stats.example.com --api-key-stdin",
  ],
  logout: ["analytics-mcp logout", "analytics-mcp logout --profile acme"],
  whoami: ["analytics-mcp whoami", "analytics-mcp whoami --all"],
  doctor: ["analytics-mcp doctor", "analytics-mcp doctor --json"],
  conform: [
    "analytics-mcp conform https://stats.example.com",
    "analytics-mcp conform https://stats.example.com --only auth,breakdown",
    "analytics-mcp conform --demo",
  ],
};

/** An example in lines of at most `width` columns where that can be, still one command to whoever pastes it. */
export function breakExample(example: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of example.split(/ (?=--|[|>] )/)) {
    const line = lines.at(-1);
    // The last two columns are for the backslash.
    if (line !== undefined && line.length + 1 + part.length <= width - 2)
      lines.push(`${lines.pop()} ${part}`);
    else lines.push(line === undefined ? part : `  ${part}`);
  }
  return example.length <= width
    ? [example]
    : lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

/** Fields that each question has, to show how --fields is written. */
export const fieldExamples: Readonly<Record<string, string>> = {
  sites: "domain,timezone",
  stats: "visitors,pageviews",
  timeseries: "date,visitors",
  breakdown: "label,visitors",
  realtime: "visitors,as_of",
  openapi: "path,summary",
  overview: "visitors,active_now",
  compare: "label,change",
};
