/** What the bundler packed into a chunk and into those that it loads at once, by their source maps. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const CHUNKS = resolve('dist/programs/chunks');

export function packedWith(chunk: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  const text = readFileSync(join(CHUNKS, chunk), 'utf8');
  const { sources } = JSON.parse(readFileSync(join(CHUNKS, `${chunk}.map`), 'utf8')) as { sources: string[] };
  const loads = [...text.matchAll(/^var \w+ = .*require\("\.\/([^"]+)"\)/gm)].map(([, name = '']) => name);
  return [...sources, ...loads.flatMap((name) => packedWith(name, seen))];
}
