/** The only scope: some applications cannot request another scope later. */
export const SCOPE = "analytics:read";
