/**
 * The figures that the bench prints, under the keys that others read, and the budget of each.
 * Source: docs/performance.md "Measured"; 130 at once by the measure of 100. A figure that was not measured is null.
 */
import { median } from './median.js';

/** Raw samples by figure, and some that explain one. Unit: milliseconds unless the name says otherwise. */
export type Samples = Record<string, number[]>;

export const FIGURES = [
  'worktreeAddMs',
  'emptyActivityMs',
  'agentMs',
  'nodeCpuMs',
  'agentCpuMs',
  'runMs',
  'writeTurnMs',
  'otherTurnMs',
  'claudeTurnMs',
  'codexTurnMs',
  'opencodeTurnMs',
  'acpTurnMs',
  'cliMs',
  'concurrent10Ms',
  'concurrent100Ms',
  'concurrent130Ms',
  'spread100Ms',
  'processesRssMb',
  'processes130RssMb',
  'processesSpreadRssMb',
  'serverRssMb',
  'lostRuns',
  'fixRoundMs',
  'approveToNextTurnMs',
  'pauseMs',
  'steerMs',
  'abortMs',
  'abortToAbortedMs',
  'rounds20Events',
  'historyEvents',
  'actions',
  'killToAttendedMs',
  'heartbeatTimeoutMs',
  'agentStarts',
  'helpOverNodeMs',
  'listOverNodeMs',
  'statusOverNodeMs',
  'logsOverNodeMs',
  'filesOverNodeMs',
  'completionOverNodeMs',
  'detachOverNodeMs',
  'serverCpuMs',
  'workerCpuMs',
  'guardCpuMs',
  'gitCpuMs',
  'engineCpuMs',
  'cliCpuMs',
  'workerStartCpuMs',
  'filesRatio',
  'slots',
  'bareGitMs',
  'bareMergeMs',
  'landEngineMs',
  'eventsPerLanding',
  'entryMs',
  'landPerMinuteLocal',
  'mergeLargeMs',
  'pullOpenMs',
  'pullOpenRequests',
  'pullOpenWrites',
  'lookMs',
  'lookQueries',
  'landPerMinuteForge',
  'landPerMinuteRules',
  'pollEvents',
  'firstDayQueries',
  'firstDayEvents',
  'laterDayQueries',
  'laterDayEvents',
  'admitMs',
  'backlogQueryMs',
  'dispatchMs',
  'itemMs',
  'eventsPerTask',
  'handOverMs',
  'carriedKiB',
  'schedulePerItemMs',
  'eventsPerLandedTask',
  'rebuildMs',
  'turnMs',
  'bareResetMs',
  'classifyMs',
  'planMs',
  'approveToRunMs',
  'stepMs',
  'stepRetryMs',
  'eventsPerPlannedTask',
  'asksAtOnce',
  'askStartMs',
  'comparedAdmitMs',
  'comparedAdmitLongMs',
  'compareMs',
  'compareLongMs',
  'indexCpuMs',
  'indexLongCpuMs',
  'indexLoopMs',
  'indexLongLoopMs',
  'indexMb',
  'indexLongMb',
  'eventToPixelMs',
  'clickMs',
  'listMs',
  'timelineMs',
  'heapMb',
  'heapTwiceMb',
  'webRssMb',
  'callsPerMinute',
  'idleCallsPerMinute',
  'reportMs',
  'liveCpuMs',
  'assetsKiB',
] as const;

export type FigureName = (typeof FIGURES)[number];
export type Figures = Readonly<Record<FigureName, number | null>>;

export function figuresOf(samples: Samples): Figures {
  const named = FIGURES.map((name) => [name, rounded(oneOf(name, samples[name] ?? []))] as const);
  // Every name of FIGURES is there.
  return Object.fromEntries(named) as Record<FigureName, number | null>;
}

/** Of what has no noise the worst, of anything else the median. Null without samples. */
function oneOf(name: FigureName, samples: readonly number[]): number | null {
  const budget = BUDGETS[name];
  if (budget === undefined || budget.noise !== NOISE.count || samples.length === 0) return median(samples);
  return budget.isLeast === true ? Math.min(...samples) : Math.max(...samples);
}

interface Budget {
  /** Null where a baseline of it was not measured. */
  readonly of: (figures: Figures) => number | null;
  /** By which share the median of one quiet bench is above that of another, of the same build. */
  readonly noise: number;
  /** The figure is to be no less, as a number of things a minute is. */
  readonly isLeast?: true;
}

const NOISE = { time: 0.15, cpu: 0.1, memory: 0.05, count: 0 } as const;

const fixed = (limit: number, noise: number): Budget => ({ of: () => limit, noise });
const ofActivities = (count: number, rest: number): Budget => ({
  of: ({ emptyActivityMs }) => sum(times(count, emptyActivityMs), rest),
  noise: NOISE.time,
});
const ofWorktrees = (count: number, rest: number): Budget => ({
  of: ({ worktreeAddMs }) => sum(times(count, worktreeAddMs), rest),
  noise: NOISE.time,
});
const ofNodes = (count: number): Budget => ({ of: ({ nodeCpuMs }) => times(count, nodeCpuMs), noise: NOISE.cpu });

const MEMORY = fixed(600, NOISE.memory);
const MESSAGE = fixed(100, NOISE.time);

const BUDGETS: Readonly<Partial<Record<FigureName, Budget>>> = {
  runMs: {
    of: ({ worktreeAddMs, emptyActivityMs }) => sum(times(2, worktreeAddMs), sum(times(9, emptyActivityMs), 150)),
    noise: NOISE.time,
  },
  writeTurnMs: ofActivities(1, 45),
  otherTurnMs: ofActivities(1, 20),
  claudeTurnMs: ofActivities(1, 60),
  codexTurnMs: ofActivities(1, 60),
  opencodeTurnMs: ofActivities(1, 60),
  acpTurnMs: ofActivities(1, 60),
  cliMs: fixed(1_000, NOISE.time),
  concurrent10Ms: ofWorktrees(20, 1_500),
  concurrent100Ms: ofWorktrees(200, 21_000),
  concurrent130Ms: ofWorktrees(260, 27_300),
  spread100Ms: ofWorktrees(200, 21_000),
  processesRssMb: MEMORY,
  processes130RssMb: MEMORY,
  processesSpreadRssMb: MEMORY,
  lostRuns: fixed(0, NOISE.count),
  fixRoundMs: ofActivities(3, 150),
  approveToNextTurnMs: MESSAGE,
  pauseMs: MESSAGE,
  steerMs: MESSAGE,
  abortMs: MESSAGE,
  abortToAbortedMs: fixed(5_000, NOISE.time),
  rounds20Events: fixed(1_499, NOISE.count),
  historyEvents: fixed(80, NOISE.count),
  actions: fixed(26, NOISE.count),
  killToAttendedMs: {
    of: ({ heartbeatTimeoutMs }) => lesser(13_000, sum(heartbeatTimeoutMs, 3_000)),
    noise: NOISE.time,
  },
  agentStarts: fixed(1, NOISE.count),
  helpOverNodeMs: fixed(60, NOISE.time),
  listOverNodeMs: fixed(200, NOISE.time),
  statusOverNodeMs: fixed(250, NOISE.time),
  logsOverNodeMs: fixed(250, NOISE.time),
  filesOverNodeMs: fixed(150, NOISE.time),
  completionOverNodeMs: fixed(80, NOISE.time),
  detachOverNodeMs: fixed(300, NOISE.time),
  engineCpuMs: ofNodes(4.8),
  cliCpuMs: ofNodes(3.5),
  workerStartCpuMs: ofNodes(12),
  filesRatio: fixed(3.5, NOISE.time),
  landEngineMs: {
    of: ({ emptyActivityMs }) => lesser(250, sum(times(6, emptyActivityMs), 100)),
    noise: NOISE.time,
  },
  eventsPerLanding: fixed(60, NOISE.count),
  entryMs: {
    of: ({ emptyActivityMs, bareGitMs }) => lesser(150, sum(sum(times(3, emptyActivityMs), times(7, bareGitMs)), 40)),
    noise: NOISE.time,
  },
  landPerMinuteLocal: { ...fixed(200, NOISE.time), isLeast: true },
  mergeLargeMs: {
    of: ({ emptyActivityMs, bareMergeMs }) => sum(times(3, bareMergeMs), emptyActivityMs),
    noise: NOISE.time,
  },
  pullOpenMs: fixed(2_500, NOISE.time),
  pullOpenRequests: fixed(6, NOISE.count),
  pullOpenWrites: fixed(2, NOISE.count),
  lookMs: ofActivities(2, 40),
  lookQueries: fixed(1, NOISE.count),
  landPerMinuteForge: { ...fixed(25, NOISE.time), isLeast: true },
  landPerMinuteRules: { ...fixed(15, NOISE.time), isLeast: true },
  firstDayQueries: fixed(160, NOISE.count),
  firstDayEvents: fixed(1_800, NOISE.count),
  laterDayQueries: fixed(100, NOISE.count),
  laterDayEvents: fixed(1_150, NOISE.count),
  admitMs: fixed(100, NOISE.time),
  backlogQueryMs: fixed(50, NOISE.time),
  dispatchMs: fixed(100, NOISE.time),
  itemMs: ofActivities(4, 100),
  eventsPerTask: fixed(170, NOISE.count),
  handOverMs: fixed(500, NOISE.time),
  carriedKiB: fixed(480, NOISE.count),
  schedulePerItemMs: fixed(250, NOISE.time),
  eventsPerLandedTask: fixed(170, NOISE.count),
  rebuildMs: fixed(30_000, NOISE.time),
  classifyMs: ofActivities(1, 30),
  planMs: ofActivities(1, 45),
  approveToRunMs: MESSAGE,
  stepMs: { of: ({ turnMs }) => turnMs, noise: NOISE.time },
  stepRetryMs: { of: ({ turnMs, bareResetMs }) => sum(turnMs, bareResetMs), noise: NOISE.time },
  eventsPerPlannedTask: fixed(215, NOISE.count),
  asksAtOnce: { ...fixed(4, NOISE.count), isLeast: true },
  askStartMs: fixed(1_000, NOISE.time),
  comparedAdmitMs: fixed(100, NOISE.time),
  compareMs: fixed(40, NOISE.time),
  compareLongMs: fixed(80, NOISE.time),
  indexCpuMs: fixed(1_500, NOISE.cpu),
  indexLongCpuMs: fixed(4_000, NOISE.cpu),
  indexLoopMs: fixed(20, NOISE.time),
  indexLongLoopMs: fixed(20, NOISE.time),
  indexMb: fixed(60, NOISE.memory),
  indexLongMb: fixed(110, NOISE.memory),
  eventToPixelMs: fixed(500, NOISE.time),
  clickMs: MESSAGE,
  listMs: fixed(1_000, NOISE.time),
  timelineMs: fixed(200, NOISE.time),
  heapMb: fixed(60, NOISE.memory),
  heapTwiceMb: fixed(60, NOISE.memory),
  webRssMb: fixed(40, NOISE.memory),
  callsPerMinute: fixed(35, NOISE.count),
  idleCallsPerMinute: fixed(0, NOISE.count),
  reportMs: fixed(300, NOISE.time),
  liveCpuMs: fixed(20, NOISE.cpu),
  assetsKiB: fixed(40, NOISE.count),
};

export interface Judged {
  readonly name: FigureName;
  readonly measured: number;
  /** Null: a baseline, or a fact without a limit. */
  readonly budget: number | null;
}

/** What was measured beside its budget. A budget needs the baselines of the same run. */
export function judge(figures: Figures): readonly Judged[] {
  return FIGURES.flatMap((name) => {
    const measured = figures[name];
    return measured === null ? [] : [{ name, measured, budget: rounded(BUDGETS[name]?.of(figures) ?? null) }];
  });
}

/** As it is to be, whatever the noise. */
export function isWithin({ name, measured, budget }: Judged): boolean {
  if (budget === null) return true;
  return BUDGETS[name]?.isLeast === true ? measured >= budget : measured <= budget;
}

/** By more than its noise. */
export function isOver({ name, measured, budget }: Judged): boolean {
  const { noise = 0, isLeast = false } = BUDGETS[name] ?? {};
  if (budget === null) return false;
  return isLeast ? measured * (1 + noise) < budget : measured > budget * (1 + noise);
}

/** Why a bench is red, in clauses; empty where it is not. Of one with small numbers only what was lost counts. */
export function findFaults(figures: Figures, { brief }: { readonly brief: boolean }): readonly string[] {
  const over = brief ? [] : judge(figures).filter(isOver);
  const lost = figures.lostRuns ?? 0;
  return [
    ...(lost > 0 && !over.some(({ name }) => name === 'lostRuns') ? [`${lost} runs were lost`] : []),
    ...over.map(
      ({ name, measured, budget }) => `over its budget by more than its noise: ${name}, ${measured} of ${budget}`,
    ),
  ];
}

/** What a run costs in CPU, by who pays, under the names that others read. Null: it was not measured. */
export function cpuPerRunOf(figures: Figures): Readonly<Record<string, number | null>> {
  const { serverCpuMs, workerCpuMs, guardCpuMs, gitCpuMs, cliCpuMs, engineCpuMs } = figures;
  const total = engineCpuMs === null || cliCpuMs === null ? null : engineCpuMs + cliCpuMs;
  return { server: serverCpuMs, worker: workerCpuMs, guard: guardCpuMs, git: gitCpuMs, cli: cliCpuMs, total };
}

function times(count: number, baseline: number | null): number | null {
  return baseline === null ? null : count * baseline;
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function lesser(limit: number, budget: number | null): number | null {
  return budget === null ? null : Math.min(limit, budget);
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10) / 10;
}
