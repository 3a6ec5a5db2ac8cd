/** Whose words `sluice task list` and `sluice task show` say, and which. */
import { describe, expect, it } from '@jest/globals';
import type { ListedItem } from '../../../client/calls/backlog-calls.js';
import { statusViewOf } from '../../../client/cli/backlog/status-view.js';
import { plainItems, renderItems, viewWord, wordsOf } from '../../../client/cli/find/item-table.js';
import { ensureHome } from '../../../config/home/home.js';
import { trustConfig } from '../../../config/home/trust.js';
import { PRESET_NAMES } from '../../../config/keys/presets.js';
import { viewOfPreset } from '../../../protocol/views/skep-status.js';
import { makeCliRepository } from '../../support/cli-repository.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from './fake-io.js';

const freshFolder = tempFolders();

const ITEM: ListedItem = {
  project: 'shop',
  id: '3',
  workflowId: 'item:shop/3',
  title: 'mend it',
  repo: '/shop',
  state: 'clarifying',
  reason: 'questions',
  head: null,
  isHeld: false,
  waits: 'person',
  why: null,
  run: null,
  runs: 0,
  branch: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  closedAt: null,
};

const FORM = { now: Date.parse('2026-01-01T00:05:00.000Z') };

describe('the words for the state of a task', () => {
  it('are those of Skep in the table and in the lines where its view is asked for', () => {
    const { io } = openTerminal().context;

    expect(renderItems([ITEM], io, { ...FORM, view: 'skep' })).toMatch(/shop-3 +pending_clarification +5 min +mend it/);
    expect(plainItems([ITEM], 'skep')[0]).toContain('shop-3\tpending_clarification\t');
  });

  it('are those of the engine else', () => {
    const { io } = openTerminal().context;

    expect(renderItems([ITEM], io, { ...FORM, view: 'engine' })).toMatch(/shop-3 +clarifying: questions +5 min/);
    expect(plainItems([ITEM], 'engine')[0]).toContain('shop-3\tclarifying: questions\t');
    expect(wordsOf(ITEM)).toBe('clarifying: questions');
  });

  it('stand beside those of the engine for programs, where there are others', () => {
    expect([viewWord(ITEM, 'skep'), viewWord(ITEM, 'engine')]).toEqual(['pending_clarification', null]);
  });
});

describe('whose words are said', () => {
  const home = freshFolder();
  const look = (cwd: string, asked?: 'skep' | 'engine') => {
    const env = { PATH: process.env['PATH'], HOME: freshFolder() };
    return statusViewOf({ ...openTerminal({ cwd, env }).context, home }, asked);
  };

  it('are those that are asked for', async () => {
    expect(await look(freshFolder(), 'skep')).toBe('skep');
    expect(await look(freshFolder(), 'engine')).toBe('engine');
  });

  it('are those of the engine outside a repository and beside a config that cannot be used', async () => {
    const repository = makeCliRepository(freshFolder());
    repository.write('.sluice/config.yaml', 'version: 1\npreset: none-of-ours\n');

    expect(await look(freshFolder())).toBe('engine');
    expect(await look(repository.path)).toBe('engine');
  });

  it.each(PRESET_NAMES)("are those of the repository's preset %s, once a person trusts its config", async (preset) => {
    const text = `version: 1\npreset: ${preset}\n`;
    const repository = makeCliRepository(freshFolder());
    repository.write('.sluice/config.yaml', text);
    expect(await look(repository.path)).toBe('engine');

    await trustConfig(ensureHome(home).root, repository.path, text);

    expect(await look(repository.path)).toBe(viewOfPreset(preset));
  });
});
