/** What a task says of itself beside what it is to do: whether it waits for a word, what it asks for, and its place among others. Anybody can send it, so it is read by hand. Pure. */
import { type Fields, namesIn, wordIn } from '../text/fields.js';
import { TASK_KINDS, type TaskKind, whyNoDependencies, whyNoFiles, whyNoPriority } from './task-links.js';

export const TASK_GATES = ['start'] as const;

export interface TaskTerms {
  /** The higher first. */
  readonly priority: number;
  /** Null: as the backlog has it. */
  readonly gate: (typeof TASK_GATES)[number] | null;
  readonly kind: TaskKind;
  /** Ids of tasks, or places in the list that it came in, such as `#1`. */
  readonly dependsOn: readonly string[];
  /** Paths and globs of what it is going to touch. */
  readonly files: readonly string[];
  /** It is taken in whatever it resembles. Source: S-16. */
  readonly force?: true;
}

export const TASK_TERMS = ['priority', 'gate', 'kind', 'dependsOn', 'files', 'force'] as const;

/** Null: it is one. */
export function whyNoForce(force: unknown): string | null {
  return typeof force === 'boolean' ? null : 'must be true or false, or be left out';
}

export type TermsReading =
  | { readonly kind: 'ok'; readonly terms: TaskTerms }
  | { readonly kind: 'bad'; readonly field: (typeof TASK_TERMS)[number]; readonly why: string };

/** `place`: in its list, from 1. */
export function readTaskTerms(fields: Fields, place: number): TermsReading {
  const { priority = 0, gate = null, kind = 'change', dependsOn = [], files = [], force = false } = fields;
  const asked = wordIn({ kind }, 'kind', TASK_KINDS);
  const whys = {
    priority: whyNoPriority(priority),
    gate: gate === null || gate === 'start' ? null : `must be ${TASK_GATES.join(' or ')}, or be left out`,
    kind: asked === null ? `must be ${TASK_KINDS.join(' or ')}, or be left out` : null,
    dependsOn: whyNoDependencies(dependsOn, place),
    files: whyNoFiles(files),
    force: whyNoForce(force),
  };
  for (const field of TASK_TERMS) {
    const why = whys[field];
    if (why !== null) return { kind: 'bad', field, why };
  }
  const terms = {
    priority: Number(priority),
    gate: wordIn({ gate }, 'gate', TASK_GATES),
    kind: asked ?? 'change',
    dependsOn: namesIn({ dependsOn }, 'dependsOn'),
    files: namesIn({ files }, 'files'),
    ...(force === true ? { force: true as const } : {}),
  };
  return { kind: 'ok', terms };
}

/** What is left of a task's fields is of its run. */
export function withoutTerms(fields: Fields): Record<string, unknown> {
  const names: readonly string[] = TASK_TERMS;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
