/** What a person sees of what they decide about. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { factRows } from '../../../client/cli/gates/fact-rows.js';
import { gatherFacts, partsOf, readGatePart } from '../../../client/look/gate-facts.js';
import type { StageUse } from '../../../protocol/messages/stage-use.js';
import { aGate } from '../../support/gate-builder.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
let repo: string;
let runDir: string;
let baseSha: string;
let head: string;

const git = (...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    cwd: repo,
    encoding: 'utf8',
  }).trim();

beforeEach(() => {
  repo = join(freshFolder(), 'shop');
  runDir = join(repo, '.sluice/runs/shop-1');
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', '--template=', repo]);
  mkdirSync(runDir, { recursive: true });
  writeFileSync(join(repo, 'a.txt'), 'one\n');
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'base');
  baseSha = git('rev-parse', 'HEAD');
  writeFileSync(join(repo, 'a.txt'), 'one\ntwo\n');
  git('commit', '--quiet', '-am', 'change');
  head = git('rev-parse', 'HEAD');
});

const USED: readonly StageUse[] = [
  { stage: 'planning', turns: 1, agentMs: 1, tokensIn: 100, tokensOut: 10, costMicroUsd: 100_000 },
  { stage: 'executing', turns: 2, agentMs: 1, tokensIn: 200, tokensOut: 20, costMicroUsd: 200_000 },
];

async function rowsAt(commit: string, used: readonly StageUse[] = []) {
  const gate = aGate({ commit });
  return factRows(await gatherFacts({ runDir, repo, baseSha }, gate, used), gate).map(({ name, text }) =>
    `${name}: ${text}`.trim(),
  );
}

describe('what a gate shows', () => {
  it('is the head of the plan, as long as nothing is changed', async () => {
    writeFileSync(
      join(runDir, 'plan.md'),
      `# Plan\n\n${Array.from({ length: 9 }, (_, n) => `step ${n}`).join('\n')}\n`,
    );

    expect(await rowsAt(baseSha)).toEqual([
      'plan: # Plan',
      ...[0, 1, 2, 3, 4].map((n) => `: step ${n}`),
      ': … 4 more lines',
    ]);
  });

  it('is what changed, the checks, the review with its findings, and the cost, once something is', async () => {
    writeFileSync(join(runDir, 'plan.md'), 'the plan\n');
    writeFileSync(
      join(runDir, 'validation.json'),
      JSON.stringify({
        round: 0,
        commit: head,
        commands: [
          { command: 'lint', status: 'passed', durationMs: 1_000, failedOnBase: false },
          { command: 'test', status: 'failed', durationMs: 61_000, failedOnBase: false },
        ],
      }),
    );
    writeFileSync(
      join(runDir, 'review.md'),
      `DECISION: APPROVED\nCommit: ${baseSha}\n\n## Findings\n\n### F1 (low, tests)\n\nNo test.\n\n## Raw\n\nx\n`,
    );

    expect(await rowsAt(head, USED)).toEqual([
      'changes: 1 file, +1 -0',
      ': a.txt  +1 -0',
      'checks: ✓ lint  passed, 0:01',
      ': ✗ test  failed, 1:01',
      'review: APPROVED',
      ': F1 (low, tests): No test.',
      `: (that was about ${baseSha.slice(0, 12)})`,
      'cost: 3 turns, $0.30 (300 tokens in, 30 out)',
    ]);
  });

  it('is nothing where the run is elsewhere, or where its commits are unknown here', async () => {
    const gate = aGate({ commit: 'f'.repeat(40) });
    const facts = await gatherFacts({ runDir: null, repo, baseSha }, gate, []);

    expect([factRows(facts, gate), partsOf(facts)]).toEqual([[], []]);
  });

  it('lets no control sequence through', async () => {
    writeFileSync(join(runDir, 'plan.md'), 'a\u001b[2Jb\u202e\n');

    expect((await rowsAt(baseSha)).join('\n')).not.toMatch(/[\u001b\u202e]/);
  });

  it('can be looked at in full: diff, plan, review, checks', async () => {
    const place = { runDir, repo, baseSha };
    const gate = aGate({ commit: head });
    writeFileSync(join(runDir, 'plan.md'), 'the plan\n');

    expect(partsOf(await gatherFacts(place, gate, []))).toEqual(['diff', 'plan']);
    expect(await readGatePart('diff', place, gate)).toContain('+two');
    expect(await readGatePart('plan', place, gate)).toBe('the plan\n');
    expect(await readGatePart('review', place, gate)).toBeNull();
    expect(await readGatePart('diff', place, aGate({ commit: baseSha }))).toBeNull();
  });
});
