/** A config that has every key at once: each is read, reaches the policy by its row, and `sluice config` shows it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { config } from '../../../client/cli/commands/config.js';
import { KEYS } from '../../../config/keys/keys.js';
import { explainConfig } from '../../../config/resolve/explain-policy.js';
import { resolvePolicy } from '../../../config/resolve/resolve-policy.js';
import { ConfigError } from '../../../config/system/config-error.js';
import { makeRepository } from '../../support/test-repository.js';
import { openTerminal } from '../client/fake-io.js';
import { SAMPLES } from './key-samples.js';

const USER = 'user.yaml';

/** What every sample needs beside it. */
const BESIDE = [
  ['agents.judge.adapter', 'model'],
  ['agents.judge.model', 'some-model'],
  ['agents.spare.adapter', 'scripted'],
] as const;

/** What is not shown as it is written: secrets, and a program that may be written without its list. */
const SHOWN_OTHERWISE: Readonly<Record<string, unknown>> = {
  'agents.main.env': { NODE_OPTIONS: '(not shown)' },
  'agents.main.command': ['evil'],
};

interface Tree {
  [part: string]: unknown;
}

function treeOf(entries: readonly (readonly [key: string, value: unknown])[]): Tree {
  const tree: Tree = {};
  for (const [key, value] of entries) {
    const parts = key.split('.');
    const last = parts.pop() ?? key;
    // Sections alone stand on the way.
    parts.reduce((section, part) => (section[part] ??= {}) as Tree, tree)[last] = value;
  }
  return tree;
}

const textOf = (samples: typeof SAMPLES) => stringify(treeOf(samples.map(([key, value]) => [key, parse(value)])));
const TEXT = textOf([...SAMPLES, ...BESIDE]);
const resolve = (text: string) => resolvePolicy({ user: { text, name: USER } });

/** What `sluice config` has for a key; the keys of an agent stand together in its row. */
function shownIn(rows: readonly { readonly key: string; readonly value: unknown }[], key: string): unknown {
  const [section, name, field] = key.split('.');
  if (section !== 'agents') return rows.find((row) => row.key === key)?.value;
  const agent = rows.find((row) => row.key === `agents.${name}`)?.value;
  return (agent as Tree | undefined)?.[field ?? ''];
}

describe('a config with every key', () => {
  it('has a sample of each', () => {
    const patterns = SAMPLES.map(([key]) =>
      key
        .replace(/^stages\.\w+\./, 'stages.<stage>.')
        .replace(/^asks\.\w+\./, 'asks.<ask>.')
        .replace(/^agents\.\w+\./, 'agents.<name>.'),
    );

    expect([...patterns].sort()).toEqual(Object.keys(KEYS).sort());
  });

  it.each(SAMPLES)('shows %s as it is written, and where', (key, value) => {
    const rows = explainConfig(resolve(TEXT));

    expect(shownIn(rows, key)).toEqual(SHOWN_OTHERWISE[key] ?? parse(value));
    expect(rows.find((row) => row.key === key.replace(/^(agents\.\w+)\..*/, '$1'))?.origin).toMatch(/^user\.yaml:\d+$/);
  });

  it('comes to the same policy again from what is shown of it', () => {
    const { policy } = resolve(TEXT);
    const shown = explainConfig(resolve(TEXT)).map(({ key, value }) => [key, value] as const);
    const tree = treeOf([...shown, ['agents.main.env', { NODE_OPTIONS: '--require=/evil.js' }]]);

    expect(resolve(JSON.stringify(tree, (_, value: unknown) => value ?? undefined)).policy).toEqual(policy);
  });

  it.each(SAMPLES)('is refused with the name of %s where that has a value of no kind', (key) => {
    const text = stringify(treeOf([[key, { of: [{ no: 'kind' }] }]]));
    let error: unknown = null;
    try {
      resolve(text);
    } catch (thrown) {
      error = thrown;
    }

    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).problems.map((problem) => problem.key).join()).toContain(key);
  });

  it('is printed whole by the command', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-every-')));
    try {
      const repository = makeRepository(folder);
      repository.write('.sluice/config.yaml', 'version: 1\n');
      repository.git('add', '-A');
      repository.git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'config');
      mkdirSync(join(folder, 'user/sluice'), { recursive: true });
      writeFileSync(join(folder, 'user/sluice/config.yaml'), TEXT);
      const terminal = openTerminal(
        { cwd: repository.path, env: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'user') } },
        true,
      );

      await config({ ...terminal.context, home: join(folder, 'home') }, { key: null, changed: false });

      const rows = terminal.objects as { key: string; value: unknown }[];
      expect(SAMPLES.map(([key]) => [key, shownIn(rows, key)])).toEqual(
        SAMPLES.map(([key, value]) => [key, SHOWN_OTHERWISE[key] ?? parse(value)]),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
