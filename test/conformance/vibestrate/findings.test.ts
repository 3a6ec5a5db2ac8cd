import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { type EndedRun, endedRuns, type RunCase } from '../../support/ended-run.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';
import { promptsOf } from '../../support/turn-files.js';

/** By the words of the row: lists of the product would agree with themselves. */
const WORDS = {
  severities: ['low', 'medium', 'high'],
  categories: [
    'correctness',
    'architecture',
    'security',
    'tests',
    'performance',
    'maintainability',
    'product',
    'policy',
  ],
  dispositions: ['accept', 'fix', 'rebut', 'defer', 'needs-human'],
};

const LIST = 'stageList: [executing, reviewing, fixing, verifying]\n';
const APPROVED: ScriptedTurn = { text: 'Right.', decision: 'APPROVED' };

/** Every category, with the severities in turn. */
const FINDINGS = WORDS.categories.map((category, index) => ({
  id: `R-${index + 1}`,
  severity: WORDS.severities[index % WORDS.severities.length],
  category,
  claim: `Claim ${index + 1}.`,
  evidence: [`a.txt:${index + 1}`, 'npm test'],
  recommendation: `Recommendation ${index + 1}.`,
}));

/** To the first five, each in another way; the rest is not answered. */
const RESPONSES = WORDS.dispositions.map((disposition, index) => ({
  id: `R-${index + 1}`,
  disposition,
  rationale: `Because ${index + 1}.`,
}));

const review = (turn: ScriptedTurn, fixing: ScriptedTurn = {}): RunCase => ({
  config: LIST,
  stages: {
    reviewing: [{ text: 'The name is wrong.', decision: 'CHANGES_REQUESTED', ...turn }, APPROVED],
    fixing: { append: { 'a.txt': 'fixed\n' }, text: 'Did it.', ...fixing },
  },
});

const CASES = {
  all: review({ findings: FINDINGS }, { responses: RESPONSES }),
  none: review({}),
  emptyList: review({ findings: [] }),
  noJson: review({ text: 'The name is wrong.\n```findings\n[{"id": "R1", oops\n```\n' }),
  doubled: review(
    { findings: ['first', 'second', 'third'].map((claim) => ({ id: 'R1', claim })) },
    { responses: [{ id: 'R1', disposition: 'fix', rationale: 'The first.' }] },
  ),
  odd: review({
    findings: [
      { severity: 'dreadful', category: 7, claim: 'Only a claim.' },
      { id: 'no-claim' },
      'A bare text.',
      7,
      null,
    ],
  }),
} satisfies Record<string, RunCase>;

describe('findings and their answers', () => {
  let host: TestHost;
  let runs: Record<keyof typeof CASES, EndedRun>;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
    runs = await endedRuns(host, CASES);
  }, 300_000);

  afterAll(() => host.close());

  const firstReview = ({ run }: EndedRun) => run.read('rounds/0/review.md');
  const headings = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);

  it('V-35: a finding has id, severity, category, claim, evidence and recommendation', () => {
    const text = firstReview(runs.all);

    expect(headings(text)).toEqual(FINDINGS.map(({ id, severity, category }) => `${id} (${severity}, ${category})`));
    for (const { claim, evidence, recommendation } of FINDINGS) {
      expect(text).toContain(
        `${claim}\n\nEvidence:\n${evidence.map((entry) => `- ${entry}`).join('\n')}\n\nRecommendation: ${recommendation}`,
      );
    }
  });

  it('V-35: the fixer answers with each of the five dispositions, and what it leaves out is listed as unanswered', () => {
    const text = runs.all.run.read('finding-responses.md');

    expect(headings(text)).toEqual(RESPONSES.map(({ id, disposition }) => `${id}: ${disposition}`));
    for (const { rationale } of RESPONSES) expect(text).toContain(rationale);
    expect(text).toContain('## Unanswered\n\n- R-6\n- R-7\n- R-8\n');
    expect(runs.all.result.outcome).toBe('merge_ready');
  });

  it.each(['none', 'emptyList', 'noJson'] as const)(
    'V-35: a review that asks for changes and lists no findings (%s) is itself the one',
    (name) => {
      const [prompt = ''] = promptsOf(runs[name].run, 'fixing');

      expect(headings(firstReview(runs[name]))).toEqual(['F1 (medium, correctness)']);
      expect(prompt).toMatch(/### F1 \(medium, correctness\)[\s\S]*The name is wrong\./);
      expect(runs[name].run.read('finding-responses.md')).toContain('## Unanswered\n\n- F1\n');
      expect(runs[name].result.outcome).toBe('merge_ready');
    },
  );

  it('V-35: findings with one id are told apart, and an answer goes to one of them', () => {
    expect(headings(firstReview(runs.doubled))).toEqual(
      ['R1', 'R1-2', 'R1-3'].map((id) => `${id} (medium, correctness)`),
    );
    expect(runs.doubled.run.read('finding-responses.md')).toMatch(
      /### R1: fix\n[\s\S]*## Unanswered\n\n- R1-2\n- R1-3\n/,
    );
  });

  it('V-35: a finding that claims anything is kept with defaults, and nothing else is', () => {
    expect(headings(firstReview(runs.odd))).toEqual(['F1 (medium, correctness)', 'F3 (medium, correctness)']);
    expect(firstReview(runs.odd)).toMatch(/Only a claim\.\n\nEvidence:\n- none given\n\nRecommendation: none given/);
    expect(firstReview(runs.odd)).toContain('A bare text.');
  });
});
