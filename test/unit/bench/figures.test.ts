/** Which figures make the bench red: those over a budget that is made of the baselines of the same minutes. */
import { describe, expect, it } from '@jest/globals';
import {
  cpuPerRunOf,
  type FigureName,
  figuresOf,
  findFaults,
  isOver,
  judge,
  type Samples,
} from '../../../bench/figures.js';
import { filesRatioOf } from '../../../bench/growth.js';

const over = (samples: Samples) =>
  judge(figuresOf(samples))
    .filter(isOver)
    .map(({ name }) => name);

describe('the figures of the bench', () => {
  it('are over their budget beyond its noise only, and a count at once', () => {
    expect(over({ nodeCpuMs: [100], engineCpuMs: [527], cliCpuMs: [384], actions: [26] })).toEqual([]);
    expect(over({ nodeCpuMs: [100], engineCpuMs: [529], cliCpuMs: [386], actions: [27] })).toEqual([
      'actions',
      'engineCpuMs',
      'cliCpuMs',
    ]);
  });

  it('are to be no less, where they count what is done in a minute', () => {
    expect(over({ landPerMinuteLocal: [174] })).toEqual([]);
    expect(over({ landPerMinuteLocal: [173] })).toEqual(['landPerMinuteLocal']);
    expect(over({ landPerMinuteLocal: [900] })).toEqual([]);
    expect(over({ landPerMinuteForge: [22], landPerMinuteRules: [14] })).toEqual([]);
    expect(over({ landPerMinuteForge: [21], landPerMinuteRules: [13] })).toEqual([
      'landPerMinuteForge',
      'landPerMinuteRules',
    ]);
  });

  it('are over at one request, look or event of a forge too many', () => {
    const most = { pullOpenRequests: [6], pullOpenWrites: [2], lookQueries: [1], laterDayQueries: [100] };
    const days = { firstDayQueries: [160], firstDayEvents: [1800], laterDayEvents: [1150] };
    const more = (counts: Samples) =>
      Object.fromEntries(Object.entries(counts).map(([key, [n = 0]]) => [key, [n + 1]]));

    expect(over({ ...most, ...days })).toEqual([]);
    expect(over(more({ ...most, ...days })).toSorted()).toEqual(Object.keys({ ...most, ...days }).toSorted());
  });

  it.each<readonly [FigureName, number]>([
    ['runMs', 620],
    ['writeTurnMs', 75],
    ['otherTurnMs', 50],
    ['cliMs', 1_000],
    ['concurrent10Ms', 3_500],
    ['concurrent100Ms', 41_000],
    ['processesRssMb', 600],
    ['lostRuns', 0],
    ['fixRoundMs', 240],
    ['approveToNextTurnMs', 100],
    ['historyEvents', 80],
    ['actions', 26],
    ['killToAttendedMs', 13_000],
    ['agentStarts', 1],
    ['helpOverNodeMs', 60],
    ['listOverNodeMs', 200],
    ['detachOverNodeMs', 300],
    ['engineCpuMs', 240],
    ['cliCpuMs', 175],
    ['filesRatio', 3.5],
    ['workerStartCpuMs', 600],
  ])('hold %s to what the design allows it', (name, limit) => {
    const baselines = { emptyActivityMs: [30], worktreeAddMs: [100], nodeCpuMs: [50], heartbeatTimeoutMs: [10_000] };
    const judged = judge(figuresOf({ ...baselines, [name]: [1] }));

    expect(judged.find((one) => one.name === name)?.budget).toBe(limit);
  });

  it('end a bench with a fault where one is over or a run was lost, a brief one for what was lost alone', () => {
    const figures = (lostRuns: number, helpOverNodeMs: number) =>
      figuresOf({ lostRuns: [lostRuns], helpOverNodeMs: [helpOverNodeMs] });

    expect(findFaults(figures(0, 60), { brief: false })).toEqual([]);
    expect(findFaults(figures(0, 600), { brief: false })).toEqual([
      'over its budget by more than its noise: helpOverNodeMs, 600 of 60',
    ]);
    expect(findFaults(figures(2, 60), { brief: false })).toEqual([
      'over its budget by more than its noise: lostRuns, 2 of 0',
    ]);
    expect(findFaults(figures(0, 600), { brief: true })).toEqual([]);
    expect(findFaults(figures(2, 600), { brief: true })).toEqual(['2 runs were lost']);
  });

  it('of many files are of the least of run and worktree add, which what was removed before makes slower', () => {
    const samples = { files100000Ms: [9_000, 9_900], files100000BaselineMs: [60_000, 5_000] };

    expect(filesRatioOf(samples)).toBe(3.6);
    expect(() => filesRatioOf({ ...samples, files100000BaselineMs: [9_100] })).toThrow('worktree adds, but makes two');
    expect(filesRatioOf({ files10000Ms: [9_000] })).toBeNull();
  });

  it('of steps are over beside a write turn of the same minutes, a step that is tried again by one reset more', () => {
    const turns = { turnMs: [100], bareResetMs: [20] };
    expect(over({ ...turns, stepMs: [114], stepRetryMs: [137] })).toEqual([]);
    expect(over({ ...turns, stepMs: [116], stepRetryMs: [139] })).toEqual(['stepMs', 'stepRetryMs']);
  });

  it('are the worst of a count, and the median of what has noise', () => {
    const { historyEvents, asksAtOnce, runMs, slots } = figuresOf({
      historyEvents: [67, 81, 67],
      asksAtOnce: [4, 3, 4],
      runMs: [300, 900, 310],
      slots: [4],
    });

    expect({ historyEvents, asksAtOnce, runMs, slots }).toEqual({
      historyEvents: 81,
      asksAtOnce: 3,
      runMs: 310,
      slots: 4,
    });
    expect(figuresOf({}).historyEvents).toBeNull();
  });

  it('allow no more to a build that waits longer for a heartbeat', () => {
    expect(over({ heartbeatTimeoutMs: [60_000], killToAttendedMs: [14_900] })).toEqual([]);
    expect(over({ heartbeatTimeoutMs: [60_000], killToAttendedMs: [15_000] })).toEqual(['killToAttendedMs']);
    expect(over({ heartbeatTimeoutMs: [5_000], killToAttendedMs: [9_300] })).toEqual(['killToAttendedMs']);
  });

  it('of asks are over where fewer than four are at work at once', () => {
    expect(over({ asksAtOnce: [4] })).toEqual([]);
    expect(over({ asksAtOnce: [3] })).toEqual(['asksAtOnce']);
  });

  it('have the lesser of two limits as their budget, where there are two', () => {
    const budgetOf = (emptyActivityMs: number) =>
      judge(figuresOf({ emptyActivityMs: [emptyActivityMs], landEngineMs: [1] })).at(-1)?.budget;
    expect([budgetOf(20), budgetOf(30)]).toEqual([220, 250]);
  });

  it('have no budget where a baseline of it was not measured', () => {
    expect(judge(figuresOf({ engineCpuMs: [900], worktreeAddMs: [30], runMs: [900] }))).toEqual([
      { name: 'worktreeAddMs', measured: 30, budget: null },
      { name: 'runMs', measured: 900, budget: null },
      { name: 'engineCpuMs', measured: 900, budget: null },
    ]);
    expect(over({ worktreeAddMs: [30], emptyActivityMs: [20], runMs: [900] })).toEqual(['runMs']);
  });

  it('tell the CPU of a run by who pays, its sum with the command line', () => {
    const figures = figuresOf({ serverCpuMs: [160], workerCpuMs: [230], engineCpuMs: [500], cliCpuMs: [300] });

    expect(cpuPerRunOf(figures)).toEqual({ server: 160, worker: 230, guard: null, git: null, cli: 300, total: 800 });
    expect(cpuPerRunOf(figuresOf({ engineCpuMs: [500] }))['total']).toBeNull();
  });
});
