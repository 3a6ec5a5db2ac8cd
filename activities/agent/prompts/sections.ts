/**
 * The sections of a prompt, by name. Texts of others stand between tags, each cut to a share of the context: head and tail stay.
 * A section without content is the empty string and is left out.
 */

import { cutMiddle } from '../../../config/system/cut-middle.js';
import type { PersonNote } from '../../../protocol/messages/messages.js';
import type { Finding } from '../../../protocol/run/finding.js';
import type { CommandResult, ValidationReport } from '../../../protocol/run/outcomes.js';
import { taggedText } from '../../../protocol/text/tagged-text.js';
import type { ContextShare } from './context-share.js';
import type { PromptInput, SectionName, StepPrompt } from './prompt-input.js';

/** Each a part of the whole context. */
const TEXT = 0.2;
const OUTPUT = 0.06;
/** Of a list of 50 steps each has its line. */
const STEPS = 0.35;
/** Of all commands together, so that many red ones leave room for plan and review. */
const VALIDATION = 0.3;
/** Of all findings together, shared evenly: each id must be there, since each is to be answered. */
const FINDINGS = 0.25;

export function sectionOf(name: SectionName, input: PromptInput, share: ContextShare): string {
  switch (name) {
    case 'task':
      return `## Task: ${oneLine(input.title)}\n\n${tagged('task', input.task, share)}`;
    case 'plan':
      return input.step === null
        ? textSection('Plan', { tag: 'plan', text: input.plan }, share)
        : stepsSection(input, input.step, share);
    case 'architecture':
      return textSection('Architecture', { tag: 'architecture', text: input.architecture }, share);
    case 'change':
      return changeSection(input);
    case 'validation':
      return validationSection(input, share);
    case 'review':
      return textSection('The last review', { tag: 'review', text: input.review }, share);
    case 'findings':
      return findingsSection(input, share);
    case 'answer':
      return textSection('Your answer', { tag: 'answer', text: input.previousOutput }, share);
  }
}

/** Never cut: a person's word is worth more than what it stands beside. */
export function notesSection({ notes }: PromptInput): string {
  if (notes.length === 0) return '';
  const rule =
    'From people who watch this run, oldest first. Do what they ask, within the rules below; they come before plan, design and review.';
  return ['## What people wrote', rule, ...notes.map(oneNote)].join('\n\n');
}

export function instructionsSection(input: PromptInput): string {
  return input.instructions === null ? '' : `## Instructions for this stage\n\n${input.instructions.trim()}`;
}

/** One line each: the texts of the others are for their own turns. */
function stepsSection(input: PromptInput, { others, baseBranch, step }: StepPrompt, share: ContextShare): string {
  const lines = others.map(({ seq, verb, description, status, commits }) => {
    const what =
      seq === step.seq ? 'your step' : [status, ...commits.slice(-1).map((sha) => `commit ${sha}`)].join(', ');
    return `${seq}. [${verb}] ${cutMiddle(description.replace(/\s+/g, ' ').trim(), 160).replace(/\s+/g, ' ')} (${what})`;
  });
  const where = `Branch ${input.branch}, from ${baseBranch} at commit ${input.baseSha}; it stands at commit ${input.head}.`;
  return `## The steps of the plan\n\n${where}\n\n${taggedText('plan', share.fit(lines.join('\n'), share.bytesOf(STEPS)))}`;
}

/** The change by reference: an agent reads it from git, exact and whole, instead of from a cut text (V-34). */
function changeSection(input: PromptInput): string {
  const { baseSha, head, branch, step } = input;
  const since = step?.made?.since ?? baseSha;
  return `## The change\n\nBranch ${branch}, from commit ${since} to commit ${head}. Read it with:\n\n    git diff ${since}..${head}`;
}

function validationSection(input: PromptInput, share: ContextShare): string {
  const { validation } = input;
  if (validation === null) return '';
  const outputs = [...input.validationOutput];
  const results = validation.commands.map((result) => {
    // One command may be configured twice, so each output is shown once.
    const at = outputs.findIndex(({ command }) => command === result.command);
    const output = at === -1 || result.status === 'passed' ? '' : (outputs.splice(at, 1)[0]?.text ?? '');
    return commandResult(result, output, share);
  });
  const text = ['## Validation, run by the engine', ...validationFacts(validation), ...results].join('\n\n');
  return share.fit(text, share.bytesOf(VALIDATION));
}

function findingsSection({ findings }: PromptInput, share: ContextShare): string {
  const one = (finding: Finding) =>
    oneFinding(finding, (text) => share.fit(text, share.bytesOf(FINDINGS / findings.length)));
  return findings.length === 0 ? '' : ['## Findings', ...findings.map(one)].join('\n\n');
}

function validationFacts(validation: ValidationReport): string[] {
  const { total, passed, failed, environment } = validation.summary;
  return [
    `On commit ${validation.commit}: ${total} commands, ${passed} passed, ${failed} failed, ${environment} could not run.`,
    ...(total === 0 ? ['No checks ran.'] : []),
    ...(validation.treeChanged ? ['A command changed files that git tracks; that is a failure.'] : []),
    ...(validation.note === null ? [] : [`Note: ${oneLine(validation.note)}`]),
  ];
}

function commandResult(result: CommandResult, output: string, share: ContextShare): string {
  const facts = [
    result.status === 'environment' ? 'could not run' : result.status,
    ...(result.timedOut ? ['ended at its time limit'] : []),
    ...(result.exitCode === null || result.status === 'passed' ? [] : [`exit code ${result.exitCode}`]),
    ...(result.failedOnBase ? ['red on the base commit too'] : []),
  ];
  const heading = `### ${oneLine(result.command)}: ${facts.join(', ')}`;
  return output.trim() === ''
    ? heading
    : `${heading}\n\n${taggedText('output', share.fit(output.trimEnd(), share.bytesOf(OUTPUT)))}`;
}

function oneFinding(finding: Finding, fit: (text: string) => string): string {
  const { id, severity, category, claim, evidence, recommendation } = finding;
  const text = [
    claim,
    `Evidence:\n${evidence.map((entry) => `- ${entry}`).join('\n')}`,
    `Recommendation: ${recommendation}`,
  ].join('\n\n');
  return `### ${oneLine(id)} (${severity}, ${category})\n\n${taggedText('finding', fit(text))}`;
}

function oneNote({ kind, by, at, text }: PersonNote): string {
  const quoted = text.trim().replace(/^/gm, '> ');
  return `### ${NOTE_KINDS[kind]}, by ${by === null ? 'someone' : oneLine(by)}, ${oneLine(at)}\n\n${quoted}`;
}

const NOTE_KINDS: Readonly<Record<PersonNote['kind'], string>> = {
  steer: 'Guidance',
  changes: 'Changes requested',
  answer: 'Answer to a question',
};

function textSection(
  heading: string,
  { tag, text }: { readonly tag: string; readonly text: string | null },
  share: ContextShare,
): string {
  return text === null ? '' : `## ${heading}\n\n${tagged(tag, text, share)}`;
}

function tagged(name: string, text: string, share: ContextShare): string {
  return taggedText(name, share.fit(text.trim(), share.bytesOf(TEXT)));
}

function oneLine(text: string): string {
  return cutMiddle(text.replace(/\s+/g, ' ').trim(), 500).replace(/\s+/g, ' ');
}
