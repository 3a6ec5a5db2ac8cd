/** A program of an adapter with all that it loads, compiled from the sources into a temp folder that resolves the same packages, so that tests need no build. */
import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';

export interface CompiledEntry {
  /** Arguments of node that start it. */
  readonly entry: readonly [string];
  /** The caller's to remove. */
  readonly folder: string;
}

/** `main` is a module's path in the repository, without its suffix. */
export async function compileEntry(
  main: 'activities/agent/scripted/main' | 'activities/agent/adapters/model/main',
): Promise<CompiledEntry> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-entry-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await symlink(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  // Grows while it is walked: each module adds those that it loads.
  const modules = new Set<string>([main]);
  for (const module of modules) {
    const { code } = await transform(await readFile(join(process.cwd(), `${module}.ts`), 'utf8'), {
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'es6' },
    });
    const compiled = join(folder, `${module}.js`);
    await mkdir(dirname(compiled), { recursive: true });
    await writeFile(compiled, code);
    for (const [, name = ''] of code.matchAll(/from ["'](\.[^"']+)\.js["']/g)) modules.add(join(dirname(module), name));
  }
  return { entry: [join(folder, `${main}.js`)], folder };
}
