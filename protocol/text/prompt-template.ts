/**
 * A person's own text for the prompt of a stage: `{{task}}` and the like stand for what a turn is given. It takes the place of the stage's
 * opening and sections alone; rules and how the answer is read are never part of it. What is filled in is not read for placeholders again.
 */

export const PROMPT_SECTIONS = ['task', 'plan', 'architecture', 'change', 'validation', 'review', 'findings'] as const;
export type PromptSection = (typeof PROMPT_SECTIONS)[number];

/** A rule that the template breaks, or null. Each placeholder once: a repeated one could make a prompt as long as it likes. */
export function templateFault(template: string): string | null {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name.trim());
  const unknown = names.find((name) => !isSection(name));
  if (unknown !== undefined)
    return `must not name {{${unknown}}}; placeholders are ${PROMPT_SECTIONS.map((name) => `{{${name}}}`).join(', ')}`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? null : `must name {{${twice}}} once`;
}

/** Shape: a template without fault. */
export function fillTemplate(template: string, textOf: (section: PromptSection) => string): string {
  return template.replace(PLACEHOLDER, (placeholder, name: string) => {
    const section = name.trim();
    return isSection(section) ? textOf(section) : placeholder;
  });
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

function isSection(name: string): name is PromptSection {
  return PROMPT_SECTIONS.some((section) => section === name);
}
