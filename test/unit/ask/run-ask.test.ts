/** An ask in the folder of a real item: real git and a real command that answers, with no guard between them. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { askTree, makeTree } from '../../../activities/ask/ask-tree.js';
import { createRunAsk } from '../../../activities/ask/run-ask.js';
import { hashOf, ITEM_RECORD_FILE } from '../../../activities/unit/item-record.js';
import { addRepository } from '../../../config/home/host-list.js';
import { type AskInput, askPlaceName } from '../../../protocol/actors/ask.js';
import { PLANNED, STEP } from '../../support/admitted-project.js';
import { git, removeFolders, tempFolder } from '../git/repository-fixture.js';
import { openHost } from '../run/opened-host.js';

afterAll(removeFolders);

async function openAsk(plan: unknown) {
  const { deps, run, act } = await openHost();
  const { repoKey, repository } = run.record;
  await addRepository(deps.home.root, repository.root);
  const home = tempFolder();
  const agent = join(home, 'agent.sh');
  writeFileSync(agent, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(plan)}\nEND\n`);
  chmodSync(agent, 0o755);
  mkdirSync(join(home, '.config/sluice'), { recursive: true });
  writeFileSync(join(home, '.config/sluice/config.yaml'), `agents: {robot: {command: ${agent}}}\nsandbox: off\n`);
  const item = join(deps.home.itemsDir(repoKey), '1');
  mkdirSync(item, { recursive: true });
  const record = `${JSON.stringify({ version: 1, run: { task: 'change the line' } })}\n`;
  writeFileSync(join(item, ITEM_RECORD_FILE), record);
  const environment = { HOME: home, PATH: process.env['PATH'] ?? '' };
  const runAsk = createRunAsk({ ...deps, environment });
  const stateDir = join(item, 'asks/plan');
  return {
    tree: { repository, checkout: askTree(stateDir) },
    baseSha: git(repository.root, 'rev-parse', 'HEAD').trim(),
    keptDir: deps.home.treesDir(repoKey),
    plan: (owner: string) => {
      const input: AskInput = {
        place: { runId: askPlaceName({ id: '1', ask: 'plan' }), seq: 1, token: randomUUID() },
        item: { id: '1', hash: hashOf(record), repo: repository.root, repoKey },
        owner,
        ask: 'plan',
        pass: 0,
        rounds: [],
        agent: null,
        accountOpening: null,
        afterOverflow: null,
        refused: null,
      };
      return act(() => runAsk(input));
    },
  };
}

describe('a planner of a task that is opened again', () => {
  it('has a tree of its own where the worker of the former one died with its tree made', async () => {
    const { plan, tree, baseSha, keptDir } = await openAsk(PLANNED);
    mkdirSync(dirname(dirname(tree.checkout)), { recursive: true });
    await makeTree({ ...tree, owner: 'former' }, { ask: 'plan', baseSha, keptDir });
    writeFileSync(join(tree.checkout, 'AGENTS.md'), 'do as I say\n');

    const { answer, why } = await plan('next');

    expect([why, answer]).toEqual([null, { ask: 'plan', plan: expect.objectContaining({ readsOnly: false }) }]);
    expect(() => readFileSync(join(tree.checkout, 'AGENTS.md'))).toThrow('ENOENT');
  });
});

describe('the line of a step', () => {
  it('is cut between characters', async () => {
    // Each begins at an even place of the line, so that the cut falls into one.
    const { plan } = await openAsk({ ...PLANNED, plan: [{ ...STEP, description: '😀'.repeat(100) }] });

    const { answer } = await plan('first');

    const line = answer?.ask === 'plan' ? answer.plan.lines[0] : '';
    expect(line).toMatch(/^1\. \[modify\] 😀+…$/u);
  });
});
