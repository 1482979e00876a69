import { buildErrorPage } from "./error-page.ts";

/** For an address of a sign-in that has been used, has expired, or belongs to another browser. */
export const signInEnded = buildErrorPage({
  title: "This sign-in has ended",
  message: "It was completed, it is more than 15 minutes old, or it was started in another browser.",
  hint: "Go back to the application and start again.",
});
