/**
 * Whether each mutant is code at all: what the compiler refuses would be red in any test. All mutants are written into one copy of the
 * tree and compiled at once; where the compiler complains, those of the named files are compiled one by one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lane } from './lane.js';
import { type Mutant, mutated } from './mutant.js';

export interface NotCompiled {
  readonly mutant: Mutant;
  readonly why: string;
}

export async function findNotCompiled(lane: Lane, mutants: readonly Mutant[]): Promise<readonly NotCompiled[]> {
  const refused: NotCompiled[] = [];
  for (const wave of wavesOf(lane.tree, mutants)) {
    const output = await compile(lane, wave);
    if (output === '') continue;
    const named = wave.mutants.filter(({ file }) => output.includes(file));
    for (const mutant of named.length === 0 ? wave.mutants : named) {
      const why = await compile(lane, waveOf(lane.tree, mutant));
      if (why !== '') refused.push({ mutant, why });
    }
  }
  return refused;
}

/** Mutants that can stand in one tree, and the files that they make. */
interface Wave {
  readonly mutants: Mutant[];
  readonly texts: Map<string, string>;
}

/** Mutants of one line cannot stand in one tree. */
function wavesOf(tree: string, mutants: readonly Mutant[]): readonly Wave[] {
  const waves: Wave[] = [];
  for (const mutant of mutants)
    if (!waves.some((wave) => isAdded(tree, wave, mutant))) waves.push(waveOf(tree, mutant));
  return waves;
}

function waveOf(tree: string, mutant: Mutant): Wave {
  return { mutants: [mutant], texts: new Map([[mutant.file, mutated(sourceOf(tree, mutant.file), mutant)]]) };
}

function isAdded(tree: string, { mutants, texts }: Wave, mutant: Mutant): boolean {
  const text = texts.get(mutant.file) ?? sourceOf(tree, mutant.file);
  if (text.split(mutant.find).length !== 2) return false;
  texts.set(mutant.file, mutated(text, mutant));
  mutants.push(mutant);
  return true;
}

function sourceOf(tree: string, file: string): string {
  return readFileSync(join(tree, file), 'utf8');
}

async function compile(lane: Lane, { texts }: Wave): Promise<string> {
  const before = new Map([...texts.keys()].map((file) => [file, sourceOf(lane.tree, file)]));
  write(lane.tree, texts);
  try {
    return await lane.node(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noEmit']);
  } finally {
    write(lane.tree, before);
  }
}

function write(tree: string, texts: ReadonlyMap<string, string>): void {
  for (const [file, text] of texts) writeFileSync(join(tree, file), text);
}
