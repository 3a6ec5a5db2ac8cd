/** The program of the adapter `model`, compiled from its sources into a temp folder that resolves the same packages, so that tests need no build. */
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { transform } from '@swc/core';
import type { ModelEntry } from '../../../../activities/agent/adapters/model/model-command.js';

const MAIN = 'activities/agent/adapters/model/main.ts';

/** Shape: `folder` is the caller's to remove. */
export async function compileModelEntry(): Promise<{ readonly entry: ModelEntry; readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-model-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const open = [resolve(MAIN)];
  const seen = new Set(open);
  for (let source = open.pop(); source !== undefined; source = open.pop()) {
    const { code } = await transform(await readFile(source, 'utf8'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const target = join(folder, relative(process.cwd(), source).replace(/\.ts$/, '.js'));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, code);
    for (const [, name] of code.matchAll(/from ["'](\.[^"']+)\.js["']/g)) {
      const next = resolve(dirname(source), `${name}.ts`);
      if (!seen.has(next)) open.push(next);
      seen.add(next);
    }
  }
  return { entry: [join(folder, MAIN.replace(/\.ts$/, '.js'))], folder };
}
