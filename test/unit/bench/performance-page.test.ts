/** docs/performance.md, the parts of it that are written from docs/bench.json. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { growthOf } from '../../../bench/growth.js';
import type { BenchResult } from '../../../bench/result.js';
import { withSections } from '../../../tools/bench-section.js';

const PAGE = readFileSync('docs/performance.md', 'utf8');

const RESULT: BenchResult = {
  cores: 2,
  figures: [
    { name: 'worktreeAddMs', measured: 30, budget: null },
    { name: 'runMs', measured: 360, budget: 300 },
    { name: 'writeTurnMs', measured: 69, budget: 66 },
    { name: 'lostRuns', measured: 0, budget: 0 },
  ],
  growth: growthOf({
    files100Ms: [400, 420, 410],
    files100BaselineMs: [41],
    files10000Ms: [820],
    files10000BaselineMs: [410],
    output1Ms: [9],
  }),
  spans: {
    totalMs: 100,
    agentMs: 4,
    commandMs: 2,
    parts: [
      {
        kind: 'read-only turn',
        count: 4,
        ms: 80,
        spans: [
          { from: 'scheduled', to: 'turn.before-start', ms: 19.7, inside: { 'git status': 1, file: 2 } },
          { from: 'turn.before-start', to: 'guard.after-go', ms: 0.3, inside: {} },
        ],
      },
    ],
  },
};

describe('the page of performance', () => {
  const page = withSections(PAGE, RESULT);

  it('has each figure with its budget and share, and names what is over by more than its noise', () => {
    expect(page).toContain('\n| plain run | 360 | 300 | 1.20 |\n| write turn | 69 | 66 | 1.05 |\n');
    expect(page).toContain('a worktree add 30 ms, an empty activity not measured ms');
    expect(page).toContain('\nOver its budget by more than its noise: plain run.\n');
  });

  it('has each curve beside its baseline and its smallest size, and leaves out what has no baseline', () => {
    expect(page).toContain(
      '\n| 100 files | a plain run | 2 × worktreeAddMs of that repository | 410.0 | 41.0 | 10.00 | 1.00 |\n',
    );
    expect(page).toContain(
      '\n| 10 000 files | a plain run | 2 × worktreeAddMs of that repository | 820.0 | 410.0 | 2.00 | 2.00 |\n',
    );
    expect(page).not.toContain('MB printed |');
  });

  it('has each span with its share of the run and what was done in it; small steps are one row', () => {
    expect(page).toContain(
      '\n| **read-only turn × 4** | **80.0** | **80.0 %** | | |\n| → turn.before-start | 19.7 | 78.8 % | git status, file × 2 | ',
    );
    expect(page).toContain('\n| below 0.5 ms each: 1 | 0.3 | 1.2 % |  | marks |\n');
  });

  it('says whose time the run was, all of it', () => {
    expect(page).toContain('\n| git, and what is done beside it | 78.8 | 78.8 % |\n');
    expect(page).toContain('\n| guard: start, watch and end of them | 1.2 | 1.2 % |\n');
    expect(page).toContain('\n| agents and the command | 0.0 | 0.0 % |\n');
  });

  it('stays what it is where nothing is generated, however often it is written', () => {
    expect(withSections(page, RESULT)).toBe(page);
    expect(page.split('\n').slice(0, 5)).toEqual(PAGE.split('\n').slice(0, 5));
  });

  it('that lost a mark is refused', () => {
    expect(() => withSections(PAGE.replace('<!-- end of bench growth -->', ''), RESULT)).toThrow(
      'docs/performance.md must hold',
    );
  });
});
