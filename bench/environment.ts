/** Only what a process needs. `NODE_EXTRA_CA_CERTS`, for one, makes each start 37 ms slower, which flatters all ratios. */
export const scrubbed = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", LANG: "C.UTF-8" };
