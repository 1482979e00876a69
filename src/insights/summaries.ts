/** One line for people on each insight, for help. */
export const summaries = {
  overview: "A site at a glance: totals, trend, comparison, top pages, referrers and countries, active now",
  compare: "The last N complete days against the N before them, and what moved",
} as const;
