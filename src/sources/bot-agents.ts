import { isbot } from "isbot";

/**
 * Words of browsers that isbot takes for bots: Chrome Frame, a plugin of Internet Explorer, and the browser of simple telephones.
 * They say nothing by themselves.
 */
export const BROWSER_WORDS = "chromeframe|MAUI(?:[ _]WAP)?[ _]Browser";
/** What stands for them: isbot takes a text of few words for a bot, too. */
export const BROWSER_PLACEHOLDER = "A/1; B/1";

const PATTERN = new RegExp(BROWSER_WORDS, "gi");

/** Whether a user agent says that it is a bot. */
export const isBot = (userAgent: string): boolean => isbot(userAgent.replace(PATTERN, BROWSER_PLACEHOLDER));
