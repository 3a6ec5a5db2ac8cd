/** What another stage costs: its row, the file of its prompt and a golden file. A copy of the tree gets the first two, and a run goes through it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { composePrompt } from '../../activities/agent/prompts/compose-prompt.js';
import type { Fixture } from '../../activities/agent/scripted/fixture.js';
import type { TurnStage } from '../../protocol/run/stages.js';
import type { renderStates } from '../../tools/states-page.js';
import { type ChangedTree, copyTree } from '../support/changed-tree.js';
import { decideGates } from '../support/decide-gates.js';
import { openTestHost, type TestHost, type TestRun } from '../support/test-host.js';
import { PLAIN_FIXTURE, PLAIN_VALIDATION, type TestRepository } from '../support/test-repository.js';
import { aPromptInput } from '../unit/agent/prompt-builder.js';

const ROW = `  polishing: {
    turn: { writes: true, sections: ['task', 'change', 'review'] },
    decides: null,
    walk: { entered: 'in_round', changesGo: 'to_round', lists: ['full'] },
    holds: null,
    leaves: { file: 'polishing.md', context: null },
  },
`;

const PROMPT = `/** The prompt of stage polishing: make a repaired change read well. */
import type { StageWork } from '../prompt-input.js';

export function describeWork(): StageWork {
  return {
    opening: 'You polish a repaired change in the git worktree you were started in.',
    answer: '## Your answer\\n\\nMake names and comments clear and change nothing else. Print in one line what you polished.',
  };
}
`;

const GOLDEN = fileURLToPath(new URL('another-stage.golden.txt', import.meta.url));

const CONFIG = `${PLAIN_VALIDATION}stages:\n  polishing:\n    instructions: Keep the lines short.\ngates: { stages: [polishing] }\n`;

// The types of this tree do not know the stage.
const STAGE = 'polishing' as string as TurnStage;

const FIXTURE = {
  ...PLAIN_FIXTURE,
  stages: {
    ...PLAIN_FIXTURE.stages,
    reviewing: [
      { text: 'A word is missing.', decision: 'CHANGES_REQUESTED' },
      { text: 'Looks right.', decision: 'APPROVED' },
    ],
    fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Fixed.' },
    polishing: { append: { 'a.txt': 'polished\n' }, text: 'Polished.' },
  },
} as Fixture;

describe('another stage, a write turn after fixing', () => {
  let tree: ChangedTree;
  let host: TestHost;
  let repository: TestRepository;
  let run: TestRun;

  beforeAll(async () => {
    tree = copyTree();
    tree.insert('protocol/run/stages.ts', ROW, '  verifying: {\n');
    tree.write('activities/agent/prompts/stages/polishing.ts', PROMPT);
    await tree.build();
    host = await openTestHost();
    await host.startWorker({ main: tree.at('dist/worker/main.js') });
    repository = await host.repository({ config: CONFIG, fixture: FIXTURE });
    run = await host.startRun(repository, { attended: true });
    await decideGates(run, [{ decision: 'approve' }]);
    await run.result();
  }, 300_000);

  afterAll(async () => {
    await host?.close();
    tree?.remove();
  });

  it('is entered after fixing, through its gate, and the tree is judged again after it', async () => {
    expect((await run.result()).outcome).toBe('merge_ready');
    expect(run.statuses().slice(run.statuses().indexOf('fixing'))).toEqual([
      'fixing',
      'polishing',
      'waiting_for_approval',
      'polishing',
      'validating',
      'reviewing',
      'verifying',
      'merge_ready',
    ]);
  });

  it('makes its change a commit, in the same round', async () => {
    const view = await run.view();

    expect(view.reviewLoopCount).toBe(1);
    expect(repository.git('show', `${view.branch}:a.txt`)).toBe('one\nchanged\nfixed\npolished\n');
  });

  it('leaves its file in the run directory', () => {
    expect(run.read('polishing.md')).toBe('Polished.');
  });

  it('has its instructions from the config, and the tools of a write turn', () => {
    const seq = run.events().find(({ type, data }) => type === 'turn.completed' && data['stage'] === 'polishing')?.data[
      'seq'
    ];
    const prompt = run.read(`turns/${Number(seq)}-polishing/prompt.md`);

    expect(prompt).toContain('## Instructions for this stage\n\nKeep the lines short.');
    expect(prompt).toContain('- Your tools in this turn look, change files and run programs.');
  });

  it('can be rewound to, on the code that stood before it', async () => {
    const rewind = { runId: run.runId, stage: STAGE };
    const again = await host.startRun(repository, { attended: true, rewind });
    await decideGates(again, [{ decision: 'approve' }]);
    await again.result();

    expect(again.statuses().slice(0, 4)).toEqual([STAGE, 'waiting_for_approval', STAGE, 'validating']);
    expect(repository.git('show', `${(await again.view()).branch}~2:a.txt`)).toBe('one\nchanged\nfixed\npolished\n');
  });

  it('has the prompt of its golden file', async () => {
    const built = (await import(tree.at('activities/agent/prompts/compose-prompt.ts'))) as {
      composePrompt: typeof composePrompt;
    };
    const { text } = built.composePrompt(aPromptInput({ stage: STAGE, review: 'A word is missing.', tools: 'run' }));

    expect(text).toBe(readFileSync(GOLDEN, 'utf8'));
  });

  it('stands in the page of the states', async () => {
    const page = (
      (await import(tree.at('tools/states-page.ts'))) as { renderStates: typeof renderStates }
    ).renderStates();

    expect(page).toContain('\n  fixing --> polishing\n  fixing --> validating\n');
    expect(page).toContain('\n  polishing --> validating\n  polishing --> reviewing\n  polishing --> verifying\n');
    expect(page).toContain(
      '| `full` | `planning` `architecting` `executing` `validating` `reviewing` `fixing` `polishing` `verifying` |',
    );
  });
});
