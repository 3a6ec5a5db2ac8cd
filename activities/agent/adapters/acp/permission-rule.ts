/**
 * What is answered when an ACP agent asks for permission. Pure. The level of tools decides; what it leaves to people is asked where the policy says so.
 * What an agent says of itself (kind, paths) is believed as far as an agent can be: the engine looks at the worktree afterwards all the same.
 */
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { PermissionOption } from '../../../../protocol/run/outcomes.js';
import { oneLine } from '../../one-line.js';
import type { TurnSpec } from './turn-spec.js';

export interface AskedPermission {
  /** The agent's word for its tool, such as `edit`; null: it does not say. */
  readonly kind: string | null;
  readonly title: string;
  /** Files that it names. */
  readonly paths: readonly string[];
  /** The command line of a program, where the agent tells it as data. */
  readonly commandLine: string | null;
  readonly options: readonly PermissionOption[];
}

export type PermissionRuling =
  /** `chosen`: by a person. */
  | { readonly kind: 'allowed' | 'refused' | 'chosen'; readonly option: PermissionOption | null }
  | { readonly kind: 'asked' };

export function rulePermission(
  asked: AskedPermission,
  spec: Pick<TurnSpec, 'cwd' | 'tools' | 'asks' | 'answers'>,
): PermissionRuling {
  const ruling = byLevel(asked, spec);
  if (ruling === 'refused') return { kind: 'refused', option: once(asked, 'reject_once') };
  // What only "always" could allow would hold beyond this request.
  const allow = once(asked, 'allow_once');
  if (ruling === 'allowed')
    return allow === null
      ? { kind: 'refused', option: once(asked, 'reject_once') }
      : { kind: 'allowed', option: allow };
  const key = keyOf(asked);
  // What a person cannot read whole they cannot allow.
  if (oneLine(asked.title).length > MAX_TITLE_CHARS) return { kind: 'refused', option: once(asked, 'reject_once') };
  const answer = spec.answers.findLast((one) => one.key === key)?.option;
  const option = answer === undefined ? undefined : offered(asked.options, answer);
  return option === undefined ? { kind: 'asked' } : { kind: 'chosen', option };
}

/** Of a question that stands in a gate with all of its words. */
const MAX_TITLE_CHARS = 200;

/** The same for the same tool and title in a later turn. */
export function keyOf({ kind, title }: Pick<AskedPermission, 'kind' | 'title'>): string {
  return createHash('sha256')
    .update(`${kind ?? ''}\n${title}`)
    .digest('hex')
    .slice(0, 32);
}

const LOOKING: ReadonlySet<string> = new Set(['read', 'search', 'think']);

const CHANGING: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** A review reads its change from git. No character that a shell takes for more than a word. */
const GIT_LOOKING = /^git (?:--no-pager )?(?:diff|log|show|status)(?: [\w./:@^~=,+-]+)*$/;

/** Options of these that write a file or start a program. */
const GIT_ACTING = / (?:-o|-O|--o(?:utput|r)|--ext-diff|--textconv|--no-index)/;

function byLevel(
  asked: AskedPermission,
  { cwd, tools, asks }: Pick<TurnSpec, 'cwd' | 'tools' | 'asks'>,
): 'allowed' | 'refused' | 'asked' {
  const kind = asked.kind ?? 'other';
  const line = asked.commandLine?.trim() ?? '';
  if (LOOKING.has(kind) || (kind === 'execute' && GIT_LOOKING.test(line) && !GIT_ACTING.test(line))) return 'allowed';
  if (tools === 'read') return 'refused';
  if (CHANGING.has(kind) && asked.paths.length > 0 && asked.paths.every((path) => isInside(cwd, path)))
    return 'allowed';
  if (tools === 'edit') return 'refused';
  return asks ? 'asked' : 'allowed';
}

/** Git's own file and folder are no part of the worktree's content. */
function isInside(cwd: string, path: string): boolean {
  const below = relative(cwd, resolve(cwd, path));
  return below !== '' && !isAbsolute(below) && ![`..`, '.git'].includes(below.split(sep)[0] ?? '..');
}

function once({ options }: AskedPermission, kind: 'allow_once' | 'reject_once'): PermissionOption | null {
  return options.find((option) => option.kind === kind) ?? null;
}

/** Ids can differ from session to session. */
function offered(options: readonly PermissionOption[], answer: PermissionOption): PermissionOption | undefined {
  const alike = options.filter(({ kind }) => kind === answer.kind);
  return alike.find(({ id }) => id === answer.id) ?? alike.find(({ name }) => name === answer.name);
}
