/** How a landing looks to people: the answer of its Query, its line in lists, and the Web UI. Pure. */
import type { LandingView, PullView } from '../../protocol/actors/landing.js';
import { type EntryState, mergeQueueId, type QueueEntry } from '../../protocol/actors/merge-queue.js';
import { printable } from '../../protocol/text/printable.js';
import type { Shown } from '../actor/actor.js';
import { gateCommand, openGateOf } from '../gates/gate-book.js';
import { isoOf } from './landing-gates.js';
import type { Abandoned, LandingState, Paused, Phase, Pull } from './landing-state.js';

const MERGE = {
  idle: 'unmerged',
  opening: 'unmerged',
  pull: 'unmerged',
  repairing: 'unmerged',
  gated: 'unmerged',
  paused: 'unmerged',
  queued: 'queued',
} as const;

export function viewOf({ runId, base, run, phase, pull, gates, journal }: LandingState): LandingView {
  const queued = phase.kind === 'queued' ? phase : null;
  const open = openGateOf(gates);
  return {
    runId,
    base,
    host: run?.source?.host ?? null,
    merge: mergeOf(phase),
    entry:
      queued === null
        ? null
        : {
            id: queued.entry.id,
            queue: mergeQueueId(queued.queue),
            // That its turn comes is nothing that the queue tells.
            state: queued.heard?.state ?? stateOfSent(queued.entry),
            why: queued.heard?.why ?? null,
          },
    pull: pull === null ? null : pullView(pull, phase),
    repair: phase.kind === 'repairing' ? { runId: phase.runId, kind: phase.repair.kind, why: phase.repair.why } : null,
    commit: phase.kind === 'merged' ? phase.commit : (queued?.heard?.commit ?? null),
    gate:
      phase.kind === 'gated' && open !== null
        ? { id: open.id, reason: phase.reason, why: phase.why, files: phase.files }
        : null,
    waits: phase.kind === 'pull' || phase.kind === 'opening' || phase.kind === 'repairing' ? phase.trouble : null,
    paused: phase.kind === 'paused' ? whyOf(phase) : null,
    abandoned: phase.kind === 'abandoned' ? whyOf(phase) : null,
    gates,
    updatedAt: journal.updatedAt,
    seq: journal.seq,
  };
}

function whyOf({ why, held }: Paused | Abandoned): string {
  return held === null
    ? why
    : `${why}; the forge may merge it all the same, for it is not out of the queue there: ${held.why}`;
}

function pullView({ number, url, decision }: Pull, phase: Phase): PullView {
  const limit = phase.kind === 'pull' ? phase.limit : null;
  return { number, url, at: decision?.kind ?? null, limitedUntil: limit === null ? null : isoOf(limit.untilMs) };
}

/** What somebody else takes to the base is in no queue of ours. */
function mergeOf(phase: Phase): LandingView['merge'] {
  if (phase.kind === 'merged' || phase.kind === 'abandoned') return phase.kind;
  return phase.kind === 'queued' && phase.entry.watch ? 'unmerged' : MERGE[phase.kind];
}

function stateOfSent({ watch }: QueueEntry): EntryState {
  return watch ? 'watched' : 'waiting';
}

/** Of a memo, at whose 2 KiB the server warns. */
const SHOWN_CHARS = 300;

export function showLanding(state: LandingState): Shown {
  const { runId, merge, base, entry, gate, pull, repair, waits, paused, abandoned } = viewOf(state);
  const { terms } = state;
  const open = openGateOf(state.gates);
  const at = paused === null ? (entry?.state ?? merge) : 'paused';
  const why = (gate?.why ?? paused ?? abandoned ?? waits ?? repair?.why ?? entry?.why ?? '').slice(0, SHOWN_CHARS);
  const onto = base === null ? '' : ` on ${base}`;
  const lines = [
    `landing of \`${runId}\`${printable(onto)}: **${gate === null ? at : gate.reason}**`,
    pull === null ? '' : `[pull request ${pull.number}](${pull.url}): ${printable(pull.at ?? 'not looked at yet')}`,
    pull?.limitedUntil == null ? '' : `the forge takes no more requests until ${pull.limitedUntil}`,
    repair === null ? '' : `${repair.kind} by \`${repair.runId ?? 'a run'}\``,
    printable(why),
    ...(gate?.files ?? []).slice(0, 20).map((file) => `- ${printable(file)}`),
    paused === null ? '' : `resume it: \`sluice resume ${runId}\``,
    open === null ? '' : `decide ${open.id}: \`${gateCommand(open)}\``,
  ];
  return {
    status: gate !== null ? 'waiting_for_approval' : paused === null ? merge : 'paused',
    details: lines.filter((line) => line !== '').join('\n\n'),
    memo: {
      runId,
      merge,
      base,
      entry: entry?.state ?? null,
      gate: gate?.reason ?? null,
      paused: paused !== null,
      // By these whoever rings for a forge finds it.
      ...(terms === null || terms.forge === null ? {} : { repo: terms.forge.repo, branch: terms.branch }),
      ...(pull === null ? {} : { pull: pull.number, url: pull.url, at: pull.at, limitedUntil: pull.limitedUntil }),
      repair: repair?.runId ?? null,
      why,
    },
  };
}
