/** Help topics besides commands. Their texts are loaded only when they are read. */
export const topicNames = ["environment", "exit-codes", "formatting", "options", "profiles"] as const;
export type TopicName = (typeof topicNames)[number];
