/** The scripted agent, compiled from its sources into a temp folder, so that tests need no build. */
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transform } from '@swc/core';
import type { ScriptedEntry } from '../../../activities/agent/adapters/scripted.js';

const SOURCES = 'activities/agent/scripted';

/** What it loads from elsewhere. */
const SHARED = ['config/foreign-descriptors.ts', 'config/error-code.ts'];

/** Shape: `folder` is the caller's to remove. */
export async function compileScriptedEntry(): Promise<{ readonly entry: ScriptedEntry; readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-scripted-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const own = (await readdir(join(process.cwd(), SOURCES))).map((file) => join(SOURCES, file));
  for (const file of [...own, ...SHARED]) {
    const source = await readFile(join(process.cwd(), file), 'utf8');
    const { code } = await transform(source, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'es6' } });
    const compiled = join(folder, file.replace(/\.ts$/, '.js'));
    await mkdir(dirname(compiled), { recursive: true });
    await writeFile(compiled, code);
  }
  return { entry: [join(folder, SOURCES, 'main.js')], folder };
}
