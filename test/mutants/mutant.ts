/**
 * A mutant: one line of the product as a hurried engineer could have left it, and the one test that must turn red for it.
 * The lists lie beside this file, one an area. What a mutant is not: a compile error, or a change that nobody would make.
 */
import { createHash } from 'node:crypto';

export const AREAS = [
  'engine',
  'guard',
  'git',
  'journal',
  'messages',
  'policy',
  'agents',
  'secrets',
  'limits',
  'actors',
  'sandbox',
  'walls',
  'landing',
  'forge',
  'backlog',
  'steps',
  'web',
] as const;
export type Area = (typeof AREAS)[number];

export interface Mutant {
  /** One clause for people; no other mutant has it. */
  readonly name: string;
  readonly area: Area;
  /** A source file, from the root. */
  readonly file: string;
  /** Part of one line; stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly test: NamedTest;
}

export interface NamedTest {
  readonly file: string;
  /** As it stands in the file, placeholders of a table included. */
  readonly title: string;
}

/** What `docs/mutants.json` says of one mutant: what was found when it was tried last. */
export interface MutantResult {
  readonly name: string;
  readonly area: Area;
  readonly file: string;
  readonly test: NamedTest;
  /** Names the change, so that another one under this name has no result yet. */
  readonly change: string;
  readonly killed: boolean;
}

export function resultOf({ name, area, file, find, replace, test }: Mutant, killed: boolean): MutantResult {
  const change = createHash('sha256').update(`${find}\0${replace}`).digest('hex').slice(0, 12);
  return { name, area, file, test, change, killed };
}

/** Errors: plain Error where the text does not stand in the file exactly once. */
export function mutated(source: string, { name, file, find, replace }: Mutant): string {
  const pieces = source.split(find);
  if (pieces.length !== 2)
    throw new Error(
      `${file} has ${JSON.stringify(find)} ${pieces.length - 1} times; the mutant "${name}" needs it once`,
    );
  return pieces.join(replace);
}
