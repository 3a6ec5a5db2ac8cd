/** A number that a campaign was told on its command line; null where it was told none. Errors: plain Error for what is no whole number above 0, with which nothing would be tried. */
export function wholeNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\d{1,10}$/.test(text) && Number(text) > 0) return Number(text);
  throw new Error(`--${option} is ${JSON.stringify(text)}: it must be a whole number above 0`);
}
