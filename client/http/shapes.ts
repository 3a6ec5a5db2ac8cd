/**
 * What the page is told, as schemas: of them are made its types, the page docs/api.md, and the test that asks every route. Absent values are null, times
 * ISO 8601 in UTC. All text is redacted by the server; whoever shows it makes it printable.
 */
import { z } from 'zod';

const text = z.string();
const maybe = z.string().nullable();
const count = z.number().int().nonnegative();

/** Where a run belongs on the first view. `yours`: it waits for a person. `ready`: nobody has asked for its head. `done`: nothing more happens. */
export const GROUPS = ['yours', 'working', 'queued', 'ready', 'done'] as const;

export const RunRow = z.strictObject({
  runId: text,
  title: maybe,
  group: z.enum(GROUPS),
  /** One word, as `sluice list` prints it. */
  state: text,
  /** Where it is, or what it waits for; empty where nothing is to be said. */
  where: text,
  /** What fails again and again; null: nothing. */
  retrying: maybe,
  since: text,
  startedAt: text,
  costMicroUsd: count.nullable(),
  repo: maybe,
  branch: maybe,
  host: maybe,
});
export type RunRow = z.infer<typeof RunRow>;

/** Who told it: the server, or files alone, with why. */
export const Source = z.strictObject({ kind: z.enum(['server', 'files']), why: maybe });
export type Source = z.infer<typeof Source>;

export const RunList = z.strictObject({ rows: z.array(RunRow), source: Source });
export type RunList = z.infer<typeof RunList>;

export const GateCard = z.strictObject({
  id: text,
  /** Who takes the decision. */
  of: z.enum(['run', 'landing']),
  /** `before executing`. */
  boundary: text,
  status: z.enum(['pending', 'approved', 'rejected', 'changes_requested', 'expired']),
  question: z.boolean(),
  /** What is asked of the person, in one sentence. */
  asks: text,
  reason: text,
  risk: text,
  askedBy: text,
  files: z.array(text),
  commit: maybe,
  options: z.array(text).nullable(),
  /** Null: changes cannot be requested. */
  changesGoTo: maybe,
  createdAt: text,
  expiresAt: maybe,
  resolvedAt: maybe,
  resolvedBy: maybe,
  decisionNote: maybe,
});
export type GateCard = z.infer<typeof GateCard>;

export const StageUse = z.strictObject({
  stage: text,
  turns: count,
  /** **Unit** ms. */
  agentMs: z.number().nonnegative(),
  tokensIn: z.number().nullable(),
  tokensOut: z.number().nullable(),
  costMicroUsd: z.number().nullable(),
});

export const Check = z.strictObject({
  command: text,
  status: z.enum(['passed', 'failed', 'environment']),
  durationMs: z.number(),
  failedOnBase: z.boolean(),
});

export const ChangedFile = z.strictObject({ path: text, insertions: z.number(), deletions: z.number() });

export const Turn = z.strictObject({
  n: count,
  stage: text,
  round: z.number().nullable(),
  agent: maybe,
  startedAt: maybe,
  /** Null: it is at work, or was lost. */
  endedAt: maybe,
  end: maybe,
  tokensIn: z.number().nullable(),
  tokensOut: z.number().nullable(),
  costMicroUsd: z.number().nullable(),
});
export type Turn = z.infer<typeof Turn>;

/** `next`: where the next piece begins, in bytes; null: this is the last. */
export const TextPiece = z.strictObject({ text, next: count.nullable() });
export type TextPiece = z.infer<typeof TextPiece>;

/** `html`: one file for any browser, as `sluice report` makes it. */
export const ReportFile = z.strictObject({ html: text });
export type ReportFile = z.infer<typeof ReportFile>;

export const FilePatch = z.strictObject({ patch: text, isCut: z.boolean() });
export type FilePatch = z.infer<typeof FilePatch>;

/** One run in full. */
export const RunPage = z.strictObject({
  row: RunRow,
  task: text,
  status: text,
  outcome: maybe,
  stage: maybe,
  /** `round 1 of 2`. */
  rounds: maybe,
  /** What it waits for, in words, and until when where that is known. */
  waits: z.strictObject({ text, until: maybe }).nullable(),
  pause: z.enum(['none', 'asked', 'paused']),
  blockedReason: maybe,
  error: maybe,
  agent: maybe,
  repo: text,
  branch: maybe,
  base: maybe,
  baseSha: maybe,
  headSha: maybe,
  worktree: maybe,
  review: maybe,
  verification: maybe,
  /** What became of its head, in words; null: nobody asked for it. */
  landing: maybe,
  updatedAt: text,
  seq: count,
  /** `run`: it answered itself. `file`: what it last wrote. `list`: neither answers, so only its line of the list is known. */
  told: z.enum(['run', 'file', 'list']),
  gates: z.array(GateCard),
  stages: z.array(StageUse),
  /** `turns 3 of 10`, as `sluice status` prints it; null where the run does not answer. */
  budget: maybe,
  plan: maybe,
  checks: z.strictObject({ round: z.number(), commit: text, commands: z.array(Check) }).nullable(),
  findings: z.array(text),
  changes: z.array(ChangedFile).nullable(),
  /** Oldest first, the newest 200. */
  turns: z.array(Turn),
  /** Null where the run's files are not on this machine. */
  runDir: maybe,
  /** For people: which lists are longer than they are here. */
  leftOut: z.array(text),
  /** False: it may have a landing, which did not answer. */
  isLandingHeard: z.boolean(),
});
export type RunPage = z.infer<typeof RunPage>;

export const BatchRow = z.strictObject({
  workflowId: text,
  /** Its workflow id without `batch:`, so with what a schedule appended. */
  name: text,
  isOpen: z.boolean(),
  startedAt: text,
  closedAt: maybe,
});
export type BatchRow = z.infer<typeof BatchRow>;

export const BatchList = z.strictObject({ batches: z.array(BatchRow) });
export type BatchList = z.infer<typeof BatchList>;

export const BatchPage = z.strictObject({
  workflowId: text,
  aborted: z.boolean(),
  rows: z.array(
    z.strictObject({
      runId: text,
      title: text,
      state: z.enum(['waiting', 'running', 'handed_in', 'skipped', 'ended', 'refused', 'not_started']),
      outcome: maybe,
      blockedReason: maybe,
      branch: maybe,
      error: maybe,
    }),
  ),
});
export type BatchPage = z.infer<typeof BatchPage>;

export const AccountLimit = z.strictObject({
  account: text,
  /** Null: this host remembers the limit, and the server, where it was asked, knows of no run that waits. */
  state: z.enum(['open', 'closed', 'probing']).nullable(),
  /** When it is tried again, or the try is given up. */
  until: maybe,
  note: maybe,
  /** Null where no worker answers, or `state` is null. */
  waiting: count.nullable(),
  runs: z.array(text),
  probe: maybe,
  /** Until when no turn is started on this host. */
  closedHere: maybe,
});

export const DayBudget = z.strictObject({
  workflowId: text,
  project: text,
  /** Null where no worker answers. */
  used: z
    .strictObject({
      turns: count,
      minutes: z.number(),
      microUsd: count,
      tokens: count,
      underWay: count,
      resetsAt: text,
    })
    .nullable(),
});

/** Of files: what this host remembers. */
export const LimitsPage = z.strictObject({
  accounts: z.array(AccountLimit),
  budgets: z.array(DayBudget),
  source: Source,
});
export type LimitsPage = z.infer<typeof LimitsPage>;

export const LandingRow = z.strictObject({
  runId: text,
  merge: z.enum(['unmerged', 'queued', 'merged', 'abandoned']),
  base: maybe,
  entry: maybe,
  /** Why a person must decide; null: it waits for nobody. */
  gate: maybe,
  paused: z.boolean(),
  pull: z.strictObject({ number: count, url: text, at: maybe }).nullable(),
  /** The run that makes another head of it. */
  repair: maybe,
  why: maybe,
  startedAt: text,
  closedAt: maybe,
});

export const QueuePage = z.strictObject({
  workflowId: text,
  /** Null where no worker answers. */
  view: z
    .strictObject({
      branch: text,
      state: z.enum(['open', 'paused', 'held']),
      why: maybe,
      /** What keeps the base from being moved. */
      use: maybe,
      ready: count,
      waiting: z.array(z.strictObject({ runId: text, state: text })),
    })
    .nullable(),
});

export const LandingsPage = z.strictObject({ landings: z.array(LandingRow), queues: z.array(QueuePage) });
export type LandingsPage = z.infer<typeof LandingsPage>;

/** What became of a message; never decides: the run does. */
export const SentAnswer = z.strictObject({
  sent: z.enum(['accepted', 'queued', 'refused', 'cancelled', 'not_kept', 'closed']),
  /** For people. */
  message: text,
});
export type SentAnswer = z.infer<typeof SentAnswer>;

/** What went wrong, whatever the route. */
export const Failure = z.strictObject({ error: text, mend: maybe });
export type Failure = z.infer<typeof Failure>;

/** `facts`: what a timeline needs of the line; absent where that is nothing. */
export const JournalLine = z.strictObject({
  seq: count,
  timestamp: text,
  type: text,
  message: text,
  facts: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).optional(),
});
export type JournalLine = z.infer<typeof JournalLine>;

export const Work = z.strictObject({ kind: text, command: maybe, since: text, lines: z.array(text) }).nullable();

/** One event of the stream, by its topic. */
export const StreamEvent = z.discriminatedUnion('topic', [
  /** `whole`: what was there before is gone. Otherwise rows that are new or changed, and ids that are gone. One with neither ends the list: it is complete. */
  z.strictObject({
    topic: z.literal('list'),
    whole: z.boolean(),
    rows: z.array(RunRow),
    gone: z.array(text),
    source: Source,
  }),
  /** `whole`: the journal was rewritten, so what was told before is no part of it. `position`: where to go on from. */
  z.strictObject({
    topic: z.literal('run'),
    runId: text,
    whole: z.boolean(),
    position: text,
    events: z.array(JournalLine),
  }),
  /** The run changed: ask for it again. */
  z.strictObject({ topic: z.literal('changed'), runId: text, seq: count }),
  z.strictObject({ topic: z.literal('work'), runId: text, work: Work }),
  /** What the agent of a turn says, behind what was told before; `whole`: that was no part of it. */
  z.strictObject({ topic: z.literal('live'), runId: text, turn: count, whole: z.boolean(), position: text, text }),
  z.strictObject({ topic: z.literal('batches'), page: BatchList }),
  /** `page`: what it said last; null: it never answered. `why` it does not answer now, for people; null: it does. */
  z.strictObject({ topic: z.literal('batch'), id: text, page: BatchPage.nullable(), why: maybe }),
  z.strictObject({ topic: z.literal('limits'), page: LimitsPage }),
  z.strictObject({ topic: z.literal('landings'), page: LandingsPage }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
