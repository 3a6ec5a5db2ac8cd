/** Plugins of the repository that a CLI would run unasked: outside a sandbox no turn is started over them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { refusePlugins } from '../../../activities/turn/repository-plugins.js';
import type { AgentConfig } from '../../../protocol/run/policy.js';
import { tempFolder } from '../../support/temp-folder.js';

const folder = tempFolder();

const opencode: AgentConfig = { adapter: 'opencode', command: null, args: [], env: {}, model: null, fallback: null };

function worktreeWith(name: string, text: string): string {
  const worktree = mkdtempSync(join(folder, 'w-'));
  mkdirSync(dirname(join(worktree, name)), { recursive: true });
  writeFileSync(join(worktree, name), text);
  return worktree;
}

describe('a worktree', () => {
  it.each([
    ['.opencode/plugin/evil.js', 'x'],
    ['.opencode/plugins/evil.ts', 'x'],
    ['opencode.json', '{ "plugin" : ["./evil.mjs"] }'],
    ['opencode.jsonc', '// mine\n{"plugins":[]}'],
    ['.opencode/opencode.json', '{"plugin":["x"]}'],
    ['.opencode/opencode.jsonc', '{"plugins"/* a */ // b: c\r/***/: ["./evil.mjs"]}'],
    ['opencode.jsonc', String.raw`{"plu\u0067in": ["./evil.mjs"]}`],
    ['opencode.json', '{"plug{env:NO_SUCH}in": ["./evil.mjs"]}'],
    ['.opencode/opencode.json', '{"{file:./key}" : ["./evil.mjs"]}'],
  ])('with %s starts no turn of OpenCode', async (name, text) => {
    const worktree = worktreeWith(name, text);

    for (const config of [opencode, { ...opencode, adapter: 'acp', command: ['/opt/bin/opencode', 'acp'] } as const])
      await expect(refusePlugins(config, worktree)).rejects.toThrow(
        `${name.startsWith('.opencode/plugin') ? dirname(name) : name} of the repository has plugins`,
      );
    await refusePlugins({ ...opencode, adapter: 'codex' }, worktree);
  });

  it.each([
    ['opencode.json', '{"model":"x"}'],
    ['opencode.jsonc', '{"prompt": "{file:./prompt.md}", "name": "plugin"}'],
    // Each beginning would be a look through all of it.
    ['opencode.json', '"plug"/*'.repeat(120_000)],
    ['opencode.json', '"plugi" //'.repeat(100_000)],
    ['opencode.json', '"'.repeat(1_000_000)],
    ['.opencode/agent/reviewer.md', 'plugin'],
    ['src/plugin.js', '"plugin":'],
  ])('with %s and no plugin does', async (name, text) => {
    await expect(refusePlugins(opencode, worktreeWith(name, text))).resolves.toBeUndefined();
  });
});
