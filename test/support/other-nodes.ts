/** Other Node versions on this machine: a list of binaries, separated by colons. */
export const otherNodes = (process.env.TEST_NODES ?? "").split(":").filter((node) => node !== "");
