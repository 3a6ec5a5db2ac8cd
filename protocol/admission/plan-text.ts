/** A plan as Markdown: what agents and people read of it. Pure. */
import type { PlanStep } from './plan-steps.js';

export function renderPlan(steps: readonly PlanStep[]): string {
  return `# Plan\n\n${steps.map(renderStep).join('\n\n')}\n`;
}

function renderStep({ seq, verb, targetFile, symbols, acceptance, dependsOn, description }: PlanStep): string {
  const facts = [
    ...(targetFile === null ? [] : [`file: ${targetFile}`]),
    ...(symbols.length === 0 ? [] : [`symbols: ${symbols.join(', ')}`]),
    `done when: ${indented(acceptance)}`,
    ...(dependsOn.length === 0 ? [] : [`after: ${dependsOn.join(', ')}`]),
  ];
  return `${seq}. **${verb}**: ${indented(description)}\n${facts.map((fact) => `   - ${fact}`).join('\n')}`;
}

/** Further lines stay part of their entry. */
function indented(text: string): string {
  return text.trim().replaceAll('\n', '\n     ');
}
