/** Copies text, so that it does not keep the larger text alive that it was sliced from. */
export const copyText = (text: string): string => Buffer.from(text).toString();
