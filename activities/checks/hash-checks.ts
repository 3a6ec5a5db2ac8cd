/** Names what checks run and where, so that what they found counts for others who would run the same. */
import { createHash } from 'node:crypto';
import { realPathOr } from '../../config/system/paths.js';
import { resolveProgram } from '../../config/system/resolve-program.js';
import type { CheckSet } from '../../protocol/run/policy.js';
import type { Workplace } from '../unit/workplace.js';

export interface PlaceOfChecks {
  readonly hostId: string;
  readonly workplace: Pick<Workplace, 'policy' | 'sandbox' | 'env'>;
}

/**
 * SHA-256 of the commands, of how the checkout is made ready for them, of the limits that they kept, and of the host, sandbox, environment and programs. What a failure
 * counts for is no part of it.
 * Shape: one array of a fixed order, each list in an array of its own, so that two different sets have no text in common.
 */
export function hashChecks({ commands, timeoutMs }: CheckSet, { hostId, workplace }: PlaceOfChecks): string {
  const { policy, sandbox, env } = workplace;
  const { setup, copy, link, setupInputs, keep, setupTimeoutMs } = policy.worktree;
  const { network, allow, home } = policy.sandbox;
  const ready = [setup, copy, link, setupInputs, keep, setupTimeoutMs];
  const around = [sandbox.kind === 'inside' ? [network, allow, home] : null, Object.entries(env).toSorted(byName)];
  const text = JSON.stringify([commands, timeoutMs, ready, hostId, around, pathsOf([...setup, ...commands], env)]);
  return createHash('sha256').update(text).digest('hex');
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

/** A repository can name any number. */
const MAX_WORDS = 500;

/** Each word of a line that is a program on PATH, and which one: a shell line may start several. What those start in turn is not seen. */
function pathsOf(lines: readonly string[], env: Readonly<Record<string, string>>): readonly string[] {
  const words = new Set(lines.flatMap((line) => line.match(/(?<![\w./+-])[\w/][\w./+-]*/g) ?? []));
  return [...words].slice(0, MAX_WORDS).flatMap((word) => {
    const found = resolveProgram(word, { path: env['PATH'] ?? '', forbidden: [] });
    return found.kind === 'found' ? [realPathOr(found.path)] : [];
  });
}
