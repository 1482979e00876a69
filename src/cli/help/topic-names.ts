/** Help topics besides commands. Their texts are loaded only when they are read. */
export const topicNames = [
  "environment",
  "exit-codes",
  "filters",
  "formatting",
  "options",
  "periods",
  "profiles",
] as const;
export type TopicName = (typeof topicNames)[number];
