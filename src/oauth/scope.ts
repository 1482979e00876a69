/** The only scope: some clients cannot request another scope later. */
export const SCOPE = "analytics:read";
