/** All workflows of a worker share one load of their modules, so that what a module keeps in itself would go from one workflow to another. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const KEPT =
  /^(?:export )?(?:let|var) .*|^(?:export )?const \w+(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});/gm;

function modulesOf(folder: string): readonly string[] {
  return readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`);
}

describe('modules of the workflows', () => {
  it('keep no state in themselves', () => {
    const modules = [...modulesOf('workflows'), ...modulesOf('protocol')];
    expect(modules.length).toBeGreaterThan(100);
    const kept = modules.flatMap(
      (path) =>
        readFileSync(`${ROOT}${path}`, 'utf8')
          .match(KEPT)
          ?.map((line) => `${path}: ${line}`) ?? [],
    );
    expect(kept).toEqual([]);
  });
});
