/** What lands in words: the message of its commit, whose title is as the run's policy has it, or as git and the engine say it. Pure. */
import { titleOf } from '../../protocol/messages/run-input.js';
import { landingId, runIdOfLanding } from '../../protocol/names.js';
import { type LandingPolicy, TITLE_FIELDS } from '../../protocol/run/landing-policy.js';
import { printableLine } from '../../protocol/text/printable.js';
import type { RunRecord } from '../unit/run-record.js';

export interface Landing extends Pick<LandingPolicy, 'method' | 'title'> {
  /** A branch. */
  readonly base: string;
  /** The id of the entry, which anybody may have made. */
  readonly entry: string;
}

type Values = Readonly<Record<(typeof TITLE_FIELDS)[number], string>>;

/** Shape: a title of one line, an empty line, one line more. */
export function landingMessage(
  { input, runId, branch }: Pick<RunRecord, 'input' | 'runId' | 'branch'>,
  { method, title: template, base, entry }: Landing,
): string {
  const title = titleOf(input);
  const how = method === 'merge' ? `Merge ${branch} into ${base}` : `Landed from ${runId}`;
  const own = ownTitle(template, { id: askedFor(entry) ?? runId, title, run: runId });
  if (own !== '') return `${own}\n\n${how}\n`;
  return method === 'merge' ? `${how}\n\n${title}\n` : `${title}\n\n${how}\n`;
}

/** One line; empty where the policy has none. */
export function ownTitle(template: string | null, values: Values): string {
  if (template === null) return '';
  // In one pass, so that braces of a title stay what they are.
  const filled = template.replace(/\{(\w+)\}/g, (text, name: string) => {
    const field = TITLE_FIELDS.find((one) => one === name);
    return field === undefined ? text : values[field];
  });
  return printableLine(filled).trim();
}

/** A repair lands under the landing of the first run. */
function askedFor(entry: string): string | null {
  const [owner = ''] = entry.split('/', 1);
  return owner.startsWith(landingId('')) ? runIdOfLanding(owner) : null;
}
