/** A text of others inside a prompt, between tags that say what it is. Pure. */

/** A closing tag inside the text would end it early. */
export function taggedText(tag: string, text: string): string {
  return `<${tag}>\n${text.replaceAll(`</${tag}>`, `<\\/${tag}>`)}\n</${tag}>`;
}
