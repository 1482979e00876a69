/** The one scope: clients that may ask for more get stuck where they must ask again. */
export const SCOPE = "analytics:read";
