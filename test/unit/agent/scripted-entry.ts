/** The scripted agent, compiled from its sources into a temp folder, so that tests need no build. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from '@swc/core';
import type { ScriptedEntry } from '../../../activities/agent/adapters/scripted.js';

/** Shape: `folder` is the caller's to remove. */
export async function compileScriptedEntry(): Promise<{ readonly entry: ScriptedEntry; readonly folder: string }> {
  const sources = join(process.cwd(), 'activities/agent/scripted');
  const folder = await mkdtemp(join(tmpdir(), 'sluice-scripted-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  for (const file of await readdir(sources)) {
    const source = await readFile(join(sources, file), 'utf8');
    const { code } = await transform(source, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } });
    await writeFile(join(folder, file.replace(/\.ts$/, '.js')), code);
  }
  return { entry: [join(folder, 'main.js')], folder };
}
