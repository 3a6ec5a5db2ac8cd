/**
 * Any sequence of messages, right and wrong, new and repeated, at any moment of a run. Two runs that live the same life are sent the same messages,
 * the one by Update and the other by Signal, and must agree all the way.
 */
import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { FAILURES } from '../../../protocol/failures.js';
import {
  LAST_FREE_JOURNAL_EVENTS,
  MAX_KNOWN_REQUESTS,
  MAX_REFUSED_LINES,
  MAX_WAITING_NOTES,
} from '../../../protocol/limits.js';
import type { Observation } from '../../../protocol/messages/journal.js';
import {
  kindsOf,
  MESSAGE_ROWS,
  RUN_MESSAGES,
  type RunMessage,
  type RunMessageName,
} from '../../../protocol/messages/message-rows.js';
import type { MessageAnswer } from '../../../protocol/messages/run-message.js';
import type { Gate } from '../../../protocol/run/gate.js';
import { isTerminal, type RunStatus, TRANSITIONS } from '../../../protocol/run/lifecycle.js';
import { expireGate } from '../../../workflows/gates/gate.js';
import { JournalledInbox } from '../../../workflows/inbox/journalled-inbox.js';
import { messagesOf } from '../../../workflows/run/run-messages.js';
import { RunState } from '../../../workflows/run/run-state.js';
import { aGate } from '../../support/gate-builder.js';

type Said = { readonly kind: 'taken'; readonly answer: MessageAnswer } | { readonly kind: 'refused' };

const FILLER: Observation = { timestamp: 'then', type: 'run.paused', message: 'filler', data: {} };

/** A run without a server: its state and its inbox, and what the world does to it. */
class Life {
  readonly run = new RunState('run-1', { task: 'the task', repo: '/r' }, true);
  readonly events: Observation[] = [];
  takenNotes: string[] = [];
  pausedAt: RunStatus | null = null;
  private readonly scope = {
    consideredCancelled: false,
    cancel: () => {
      this.scope.consideredCancelled = true;
    },
  };
  private readonly inbox: JournalledInbox<RunMessageName, RunMessage>;

  constructor() {
    const { events, scope } = this;
    const { journal } = this.run;
    const observe = journal.observe.bind(journal);
    journal.observe = (observations) => {
      events.push(...observations);
      observe(observations);
    };
    const run = Object.assign(this.run, { presenter: { show: () => undefined }, flush: { request: () => undefined } });
    this.inbox = new JournalledInbox(run, messagesOf(run, scope));
  }

  /** As the server does it: first the check, which must leave no trace, then the message itself. */
  update(name: RunMessageName, argument: unknown, updateId: string): Said {
    const incoming = { name, argument, updateId };
    const before = this.facts();
    try {
      this.inbox.check(incoming);
    } catch (error) {
      expect(this.facts()).toBe(before);
      if (!(error instanceof ApplicationFailure)) throw error;
      if (error.type === FAILURES.MessageUnchanged)
        return { kind: 'taken', answer: { message: error.message, status: this.run.status, changed: false } };
      expect(() => this.inbox.take(incoming)).toThrow();
      expect(this.facts()).toBe(before);
      return { kind: 'refused' };
    }
    expect(this.facts()).toBe(before);
    return { kind: 'taken', answer: this.inbox.take(incoming) };
  }

  signal(name: RunMessageName, argument: unknown): void {
    this.inbox.hear({ name, argument, updateId: null });
  }

  /** What people can see, without times, fillers and lines about refusals; of the journal its length and its last event. */
  facts(): string {
    const { people, gates, status, isClosing } = this.run;
    const shown = this.events.filter(({ type }) => type !== 'message.refused' && type !== FILLER.type);
    const last = shown.at(-1);
    const journal = [shown.length, last?.type, last?.message, last?.data];
    return JSON.stringify({ status, people, isClosing, gates: gates.all, journal, cancelled: this.cancelled }).replace(
      /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      'at',
    );
  }

  get cancelled(): boolean {
    return this.scope.consideredCancelled;
  }

  count(type: Observation['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }
}

/** What happens to a run beside its messages. Each does nothing where it cannot happen. */
const WORLD = {
  nextStage: ({ run }: Life, choice: number) => {
    if (run.gates.open !== null || run.status === 'paused') return;
    const held = ['waiting_for_approval', 'paused', 'merge_ready', 'blocked', 'failed', 'aborted'];
    const ways = TRANSITIONS[run.status].filter((to) => !held.includes(to));
    const next = ways[choice % Math.max(1, ways.length)];
    if (next !== undefined) run.move(next);
  },
  openGate: ({ run }: Life, choice: number) => {
    if (
      run.gates.open !== null ||
      run.status === 'paused' ||
      run.status === 'waiting_for_approval' ||
      isTerminal(run.status)
    )
      return;
    run.standAt(
      run.gates.add(aGate({ question: choice % 3 === 0, changesGoTo: choice % 2 === 0 ? 'planning' : null })),
    );
  },
  leaveGate: ({ run }: Life) => {
    if (run.gates.open === null && run.status === 'waiting_for_approval') run.goOn();
  },
  expireGate: ({ run }: Life) => {
    const { open } = run.gates;
    if (open !== null) expireGate(run, open, null);
  },
  honourPause: (life: Life) => {
    const { run } = life;
    if (
      !run.people.pauseRequested ||
      run.status === 'waiting_for_approval' ||
      run.status === 'paused' ||
      isTerminal(run.status)
    )
      return;
    run.people.pauseRequested = false;
    run.people.pausedAtStatus = run.status;
    life.pausedAt = run.status;
    run.move('paused');
  },
  goOn: ({ run, pausedAt }: Life) => {
    if (run.status === 'paused' && run.people.pausedAtStatus === null && pausedAt !== null) run.move(pausedAt);
  },
  turn: (life: Life) => {
    life.takenNotes = [...life.takenNotes, ...life.run.takeNotes().map(({ text }) => text)];
  },
  fill: ({ run }: Life, choice: number) => {
    if (run.journal.all.length < LAST_FREE_JOURNAL_EVENTS)
      run.journal.observe(Array.from({ length: choice % 700 }, () => FILLER));
  },
  end: ({ run }: Life, choice: number) => {
    if (choice % 8 === 0) run.isClosing = true;
  },
} as const;

type Step =
  | { readonly kind: 'message'; readonly name: RunMessageName; readonly argument: unknown }
  | { readonly kind: 'world'; readonly what: keyof typeof WORLD; readonly choice: number };

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('one', 'two', 'gate-1', 'gate-2') },
  fc.string({ maxLength: 10 }),
);
const requestId = fc.constantFrom('r1', 'r2', 'r3', 'r4');

/** Of fields that must name what is there, to be taken. */
const NAMED: Readonly<Record<string, fc.Arbitrary<string>>> = {
  decision: fc.constantFrom('approve', 'reject', 'request_changes', 'maybe'),
  gate: fc.constantFrom('gate-1', 'gate-2', 'gate-3'),
  promptId: fc.constantFrom('gate-1', 'gate-2'),
  commit: fc.constantFrom('c'.repeat(40), 'd'.repeat(40)),
  requestId,
};

function argumentOf(name: RunMessageName): fc.Arbitrary<unknown> {
  const kinds = Object.entries(kindsOf(name));
  const requiredKeys = kinds.flatMap(([field, kind]) => (kind === 'text' || kind === 'title' ? [field] : []));
  return fc.record(Object.fromEntries(kinds.map(([field]) => [field, NAMED[field] ?? text])), { requiredKeys });
}

/** Mostly understood; some of another message, some of nothing at all. An abort ends the story, so it is rare. */
const message: fc.Arbitrary<Step> = fc.oneof(
  ...RUN_MESSAGES.map((name) => ({
    weight: name === 'abort' ? 1 : 6,
    arbitrary: argumentOf(name).map((argument) => ({ kind: 'message', name, argument }) as const),
  })),
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...RUN_MESSAGES.filter((name) => name !== 'abort')),
        fc.oneof(fc.anything(), ...RUN_MESSAGES.map(argumentOf)),
      )
      .map(([name, argument]) => ({ kind: 'message', name, argument }) as const),
  },
);
const world: fc.Arbitrary<Step> = fc
  .tuple(fc.constantFrom(...(Object.keys(WORLD) as (keyof typeof WORLD)[])), fc.nat(5000)) // The keys of a literal.
  .map(([what, choice]) => ({ kind: 'world', what, choice }) as const);
const life = fc.array(fc.oneof({ weight: 3, arbitrary: message }, { weight: 2, arbitrary: world }), {
  minLength: 50,
  maxLength: 100,
});

interface Told {
  readonly name: RunMessageName;
  readonly argument: unknown;
  readonly said: Said;
  readonly before: {
    readonly facts: string;
    readonly gates: readonly Gate[];
    readonly events: number;
    readonly cancelled: boolean;
  };
  readonly life: Life;
}

/** Lives the steps in both runs. `watch` is told what each message did to the one that gets Updates. */
function live(steps: readonly Step[], watch: (told: Told) => void = () => undefined): Life {
  const byUpdate = new Life();
  const bySignal = new Life();
  for (const [n, step] of steps.entries()) {
    if (step.kind === 'world') for (const one of [byUpdate, bySignal]) WORLD[step.what](one, step.choice);
    else {
      const { name, argument } = step;
      const before = {
        facts: byUpdate.facts(),
        gates: byUpdate.run.gates.all,
        events: byUpdate.events.length,
        cancelled: byUpdate.cancelled,
      };
      const linesBefore = bySignal.count('message.refused');
      const said = byUpdate.update(name, argument, `update-${n}`);
      bySignal.signal(name, argument);
      const isTold = said.kind === 'refused' && !bySignal.run.isClosing && linesBefore < MAX_REFUSED_LINES;
      expect(bySignal.count('message.refused') - linesBefore).toBe(isTold ? 1 : 0);
      watch({ name, argument, said, before, life: byUpdate });
      // A nearly full journal refuses more, and only the one of the Signals holds lines about refusals.
      if (isTold) byUpdate.run.journal.observe([FILLER]);
    }
    expect(bySignal.facts()).toBe(byUpdate.facts());
  }
  return byUpdate;
}

/** The event that an accepted message leaves. */
function traceOf(name: RunMessageName): RegExp {
  const event = MESSAGE_ROWS[name].leaves?.event;
  return event === undefined ? /^approval\.(?:approved|rejected|changes_requested)$/ : new RegExp(`^${event}$`);
}

function requestIdOf(argument: unknown): string | null {
  const id: unknown =
    typeof argument === 'object' && argument !== null && 'requestId' in argument ? argument.requestId : null;
  return typeof id === 'string' ? id.trim() : null;
}

describe('any sequence of messages', () => {
  it('is judged alike as Updates and as Signals; what is refused changes nothing, and a Signal says so in one line', () => {
    fc.assert(
      fc.property(life, (steps) => void live(steps)),
      { numRuns: 15 },
    );
  });

  it('leaves one event for each message that changed something, and none for the others', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ name, said, before, life: { events } }) => {
          const added = events.slice(before.events).map(({ type }) => type);
          const isApplied = said.kind === 'taken' && said.answer.changed;

          expect(added).toEqual(isApplied ? [expect.stringMatching(traceOf(name))] : []);
        });
      }),
      { numRuns: 15 },
    );
  });

  it('applies a request id once, and answers it as it was answered', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const known = new Map<string, { readonly name: RunMessageName; readonly answer: MessageAnswer }>();
        live(steps, ({ name, argument, said, before, life: lived }) => {
          const id = requestIdOf(argument);
          const first = id === null ? undefined : known.get(id);
          if (said.kind === 'refused' || id === null) return;
          if (first === undefined) {
            if (said.answer.changed) known.set(id, { name, answer: said.answer });
          } else {
            expect({ name, said: said.answer.message, changed: said.answer.changed }).toEqual({
              name: first.name,
              said: first.answer.message,
              changed: false,
            });
            expect(lived.facts()).toBe(before.facts);
          }
        });
      }),
      { numRuns: 15 },
    );
  });

  it('never loses an abort, and takes nothing after it', () => {
    fc.assert(
      fc.property(life, (steps) => {
        let first: string | null = null;
        const lived = live(steps, ({ name, said, before, life: { cancelled, run } }) => {
          if (before.cancelled) {
            expect(said.kind === 'taken' && said.answer.changed).toBe(false);
            expect(JSON.stringify(run.people.abort)).toBe(first);
          } else if (name === 'abort' && said.kind === 'taken' && said.answer.changed)
            first = JSON.stringify(run.people.abort);
          expect(cancelled).toBe(first !== null);
        });

        expect(lived.count('run.abort_requested')).toBe(first === null ? 0 : 1);
      }),
      { numRuns: 15 },
    );
  });

  it('decides a gate once at most, and the one that was meant', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const lived = live(steps, ({ before, life: { run } }) => {
          const decided = before.gates.filter(({ status }) => status !== 'pending');
          expect(run.gates.all.filter(({ id }) => decided.some((gate) => gate.id === id))).toEqual(decided);
          expect(run.gates.all).toHaveLength(before.gates.length);
        });

        for (const gate of lived.run.gates.all) {
          const ends = lived.events.filter(
            ({ type, data }) => type.startsWith('approval.') && data['gate'] === gate.id,
          );
          expect(ends.map(({ type }) => type)).toEqual(gate.status === 'pending' ? [] : [`approval.${gate.status}`]);
          if (gate.question && gate.status === 'approved') expect(gate.guidance).not.toBeNull();
          if (gate.status === 'changes_requested')
            expect([gate.guidance === null, gate.changesGoTo]).toEqual([false, 'planning']);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('brings each accepted text to a turn, once and in order, and never lets too many wait', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const accepted: unknown[] = [];
        const lived = live(steps, ({ name, said, before, life: { run, events } }) => {
          if (name === 'steer' && said.kind === 'taken' && said.answer.changed)
            accepted.push(events.at(-1)?.data['text']);
          expect(run.people.notes.length).toBeLessThanOrEqual(MAX_WAITING_NOTES);
          const isFree = ['approve', 'answer', 'resume', 'abort'].includes(name);
          if (before.events >= LAST_FREE_JOURNAL_EVENTS && !isFree)
            expect(said.kind === 'taken' && said.answer.changed).toBe(false);
        });

        expect([...lived.takenNotes, ...lived.run.people.notes.map((note) => note.text)]).toEqual(accepted);
      }),
      { numRuns: 15 },
    );
  });
});

describe('many messages', () => {
  it('leave at most so many lines about refusals', () => {
    const lived = new Life();
    for (let n = 0; n < 2 * MAX_REFUSED_LINES; n += 1) lived.signal('resume', { note: `${n}` });

    expect(lived.count('message.refused')).toBe(MAX_REFUSED_LINES);
  });

  it('let at most so many texts wait', () => {
    const lived = new Life();
    for (let n = 0; n < 2 * MAX_WAITING_NOTES; n += 1) lived.signal('steer', `text ${n}`);

    expect(lived.run.people.notes.map((note) => note.text)).toEqual(
      Array.from({ length: MAX_WAITING_NOTES }, (_, n) => `text ${n}`),
    );
  });

  it('are known by the last request ids of so many', () => {
    const lived = new Life();
    for (let n = 0; n <= MAX_KNOWN_REQUESTS; n += 1)
      lived.update('rename', { title: `title ${n}`, requestId: `r${n}` }, `u${n}`);

    expect(lived.update('rename', { title: 'title 1', requestId: 'r1' }, 'v')).toMatchObject({
      answer: { changed: false },
    });
    expect(lived.update('rename', { title: 'title 0', requestId: 'r0' }, 'w')).toMatchObject({
      answer: { changed: true },
    });
  });
});
