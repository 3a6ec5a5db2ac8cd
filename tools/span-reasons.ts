/** Why a span of a run takes what it takes, and whose time it is, by the point at which it ends: for docs/performance.md. */
import type { Span } from '../bench/span-table.js';

const REASONS: Readonly<Record<string, string>> = {
  scheduled: 'the server stores the run; a worker takes the first workflow task',
  'taken by the worker': 'the server stores the task and matches it with a poll',
  'activity.before-work': 'the task reaches the worker; its input is decoded',
  'open.after-claim':
    'find the repository, read its config at the base commit, resolve the policy, find the agents, write the run record',
  'open.after-worktree': 'branch and worktree, one at a time per repository, still without files',
  'open.before-record': 'snapshot of the config; all files of the base commit',
  'turn.before-start':
    'what was left in the worktree is seen and cleared; hooks and config are remembered; the prompt is written, the journal beside it',
  'guard.before-shell': 'the worker says go',
  'guard.before-claim': 'the parent `sh` is forked; room for the exit is reserved',
  'guard.after-claim': 'the claim, before the first instruction of the agent',
  'guard.after-go': 'the go byte',
  'guard.before-sweep': 'the agent or command itself, and its start',
  'guard.before-exit': 'a pass over `/proc`: nothing that carries tag or mark lives on',
  'turn.after-exit': 'the worker hears of the end',
  'turn.before-outcome':
    'what changed, and around the worktree too; in a write turn the tree, the commit object and the check of the diff; the text as an artifact',
  'turn.after-commit': 'the ref moves by compare-and-swap; the index of the worktree follows',
  'turn.after-projection': 'prompt, output and stream for people',
  'turn.before-record': 'what the stage came to, for a rewind',
  'validate.before-command': 'the journal; the tree of the commit',
  'check.after-purge':
    'the second checkout of all files, in which no agent was, without what earlier commands left in it',
  'validate.after-command': 'the worker hears of the end',
  'validate.before-record':
    'did the command change files; evidence, findings and outputs as artifacts; what the stage came to, for a rewind',
  'close.after-report': 'one diff; report, metrics and the last lines of the journal',
  'close.before-record': 'the checkout of the checks goes, and what a set-up made',
  'answer at the server': 'the answer is encoded, redacted and stored',
  'next activity scheduled': 'a workflow task: the journal, the view, the memo and the next decision',
};

export const CAUSES = [
  'server, queues, SDK and workflow',
  'agents and the command',
  'guard: start, watch and end of them',
  'git, and what is done beside it',
  'files, marks and the rest',
] as const;

export type Cause = (typeof CAUSES)[number];

const OF_SERVER = [
  'scheduled',
  'taken by the worker',
  'activity.before-work',
  'answer at the server',
  'next activity scheduled',
];
const OF_GUARD = ['turn.after-exit', 'validate.after-command'];

export function causeOf({ to, inside }: Pick<Span, 'to' | 'inside'>): Cause {
  if (OF_SERVER.includes(to)) return 'server, queues, SDK and workflow';
  if (to === 'guard.before-sweep') return 'agents and the command';
  if (to.startsWith('guard.') || OF_GUARD.includes(to)) return 'guard: start, watch and end of them';
  const hasGit = Object.keys(inside).some((name) => name.startsWith('git '));
  return hasGit ? 'git, and what is done beside it' : 'files, marks and the rest';
}

/** Errors: plain Error where a point has none. */
export function whyOf(to: string): string {
  const why = REASONS[to];
  if (why === undefined) throw new Error(`tools/span-reasons.ts has no reason for the span that ends at ${to}`);
  return why;
}
