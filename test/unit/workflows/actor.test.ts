/**
 * A long-lived workflow without a server: two of them live the same life, the one in a single execution, the other handed over to a new one wherever
 * it may be. Nothing is lost, nothing is applied twice, and what others hear of the two is the same.
 */
import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { FAILURES } from '../../../protocol/failures.js';
import { MAX_KNOWN_REQUESTS } from '../../../protocol/limits.js';
import type { MessageAnswer } from '../../../protocol/messages/run-message.js';
import { fieldsOf, nameIn } from '../../../protocol/text/fields.js';
import type { Actor, Rules } from '../../../workflows/actor/actor.js';
import { ActorCore, type Carried } from '../../../workflows/actor/core.js';
import { busy } from '../../../workflows/inbox/inbox.js';

/** Told to whoever is named; some of it cannot be delivered. */
interface Telling {
  readonly workflowId: string;
  readonly word: string;
  readonly lasts?: true;
}

interface Board {
  readonly words: readonly string[];
  readonly undelivered: readonly string[];
}

type Word = { readonly kind: 'say' | 'undelivered'; readonly to: string; readonly word: string };

const NOBODY = 'nobody';
const FIRST: Rules<Board, Word, Telling> = {
  judge: ({ words }, { word }) => {
    if (word === 'rude') return { kind: 'refused', why: 'it is rude' };
    if (word === 'early') return busy('it comes too early');
    return words.at(-1) === word
      ? { kind: 'unchanged', message: 'it stands there' }
      : { kind: 'accepted', message: `wrote ${word}` };
  },
  after(state, event) {
    if (event.kind === 'tick') return { state, errands: [] };
    if (event.kind === 'undelivered')
      return { state: { ...state, undelivered: [...state.undelivered, event.word] }, errands: [] };
    return {
      state: { ...state, words: [...state.words, event.word] },
      errands: [{ workflowId: event.to, word: event.word }],
    };
  },
  wakesAt: () => null,
  isIdle: ({ words }) => words.at(-1) === 'end',
};
const LOUD: Rules<Board, Word, Telling> = {
  ...FIRST,
  after: (state, event, now) =>
    FIRST.after(state, event.kind === 'say' ? { ...event, word: event.word.toUpperCase() } : event, now),
};
/** What is told to a lasts. */
const LASTING: Rules<Board, Word, Telling> = {
  ...FIRST,
  after(state, event, now) {
    const { errands, ...step } = FIRST.after(state, event, now);
    return { ...step, errands: errands.map((one) => (one.workflowId === 'a' ? { ...one, lasts: true } : one)) };
  },
};

const boardOf = (...rules: Rules<Board, Word, Telling>[]): Actor<Board, Word, Telling, Board> => ({
  rules,
  first: { words: [], undelivered: [] },
  signals: ['say'],
  updates: ['say'],
  read(_name, argument) {
    const fields = fieldsOf(argument);
    const [to, word] = [nameIn(fields, 'to'), nameIn(fields, 'word')];
    return to === null || word === null
      ? { kind: 'bad', why: 'to and word are needed' }
      : { kind: 'ok', message: { kind: 'say', to, word } };
  },
  perform: async () => undefined,
  show: ({ words }) => ({ status: `${words.length} words`, details: '', memo: {} }),
  view: (state) => state,
});
const BOARD = boardOf(FIRST);

const begun = (actor = BOARD): Carried<Board> => ({ rules: 1, state: actor.first, answered: [] });
const said = (argument: unknown, updateId: string | null = null, name = 'say') => ({ name, argument, updateId });

/** One workflow over all of its executions, and the world that answers its errands. */
class Life {
  core: ActorCore<Board, Word, Telling, Board>;
  readonly told: string[] = [];
  readonly answers: (MessageAnswer | string)[] = [];
  executions = 1;
  private underWay: Telling[] = [];

  constructor(
    private readonly handsOver: boolean,
    private readonly actor = BOARD,
  ) {
    this.core = new ActorCore(actor, begun(actor));
  }

  signal(name: string, argument: unknown): void {
    this.core.inbox.hear({ name, argument, updateId: null });
    this.goOn();
  }

  askToHandOver(): void {
    this.core.askToHandOver();
    this.goOn();
  }

  update(argument: unknown, updateId: string): void {
    try {
      this.core.inbox.check(said(argument, updateId));
      this.answers.push(this.core.inbox.take(said(argument, updateId)));
    } catch (error) {
      if (!(error instanceof ApplicationFailure)) throw error;
      this.answers.push(`${error.type}: ${error.message}`);
    }
    this.goOn();
  }

  /** The server answers one of the errands that are under way. */
  answer(at: number): void {
    const [errand] = this.underWay.splice(at % Math.max(1, this.underWay.length), 1);
    if (errand === undefined) return;
    const { workflowId, word } = errand;
    if (workflowId === NOBODY) this.core.tell({ kind: 'undelivered', to: workflowId, word });
    else this.told.push(`${workflowId}: ${word}`);
    this.core.end(errand);
    this.goOn();
  }

  finish(): Board {
    while (this.underWay.length > 0) this.answer(0);
    return this.core.view();
  }

  private goOn(): void {
    this.underWay.push(...this.core.begin(false));
    if (!this.handsOver || !this.core.mayHandOver(false)) return;
    // As the server carries it, with whatever is under way lost.
    this.core = new ActorCore(this.actor, JSON.parse(JSON.stringify(this.core.carried())) as Carried<Board>);
    this.underWay = [];
    this.executions += 1;
  }
}

const aMessage = fc.record({
  to: fc.constantFrom('a', 'b', NOBODY),
  word: fc.constantFrom('one', 'two', 'three', 'rude'),
  requestId: fc.constantFrom('r-1', 'r-2', 'r-3', null),
});
const anArgument = fc.oneof({ weight: 5, arbitrary: aMessage }, { weight: 1, arbitrary: fc.anything() });
const aDeed = fc.oneof(
  fc.record({
    does: fc.constant('signal' as const),
    name: fc.constantFrom('say', 'say', 'say', 'no-such'),
    argument: anArgument,
  }),
  fc.record({
    does: fc.constant('update' as const),
    argument: anArgument,
    updateId: fc.constantFrom('u-1', 'u-2', 'u-3'),
  }),
  fc.record({ does: fc.constant('answer' as const), at: fc.nat(5) }),
  fc.record({ does: fc.constant('handOver' as const) }),
);

describe('a long-lived workflow', () => {
  it('does in any number of executions, under any order of messages, what one would have done', () => {
    fc.assert(
      fc.property(fc.array(aDeed, { maxLength: 80 }), (deeds) => {
        const lives = [new Life(false), new Life(true)] as const;
        for (const life of lives) {
          for (const deed of deeds) {
            if (deed.does === 'signal') life.signal(deed.name, deed.argument);
            else if (deed.does === 'update') life.update(deed.argument, deed.updateId);
            else if (deed.does === 'answer') life.answer(deed.at);
            else life.askToHandOver();
          }
        }
        const [one, many] = lives;

        expect(many.finish()).toEqual(one.finish());
        expect(many.told).toEqual(one.told);
        expect(many.answers).toEqual(one.answers);
        expect(
          [...one.told.map((line) => line.split(': ')[1] ?? ''), ...one.core.view().undelivered].toSorted(),
        ).toEqual(one.core.view().words.toSorted());
      }),
    );
  });

  it('hands over and ends only once everything is delivered and answered', () => {
    const core = new ActorCore(BOARD, begun());
    core.askToHandOver();
    expect(core.mayHandOver(false)).toBe(true);

    core.inbox.take(said({ to: 'a', word: 'end' }));
    expect([core.mayEnd, core.mayHandOver(false), core.mayHandOver(true)]).toEqual([false, false, false]);
    const [errand] = core.begin(false);
    expect([core.mayEnd, core.mayHandOver(false)]).toEqual([false, false]);
    if (errand !== undefined) core.end(errand);

    expect([core.mayEnd, core.mayHandOver(false)]).toEqual([true, true]);
  });

  it('hands over when it is asked to, or when its history is long, and not else', () => {
    const core = new ActorCore(BOARD, begun());

    expect([core.mayHandOver(false), core.mayHandOver(true)]).toEqual([false, true]);
  });

  it('applies what has one request id once, also in a later execution, and refuses another message under it', () => {
    const first = new ActorCore({ ...BOARD, signals: ['say', 'shout'] }, begun());
    const message = { to: 'a', word: 'one', requestId: 'r-1' };
    const answer = first.inbox.take(said(message, 'u-1'));
    const later = new ActorCore({ ...BOARD, signals: ['say', 'shout'] }, first.carried());

    expect(answer).toEqual({ message: 'wrote one', status: '1 words', changed: true });
    for (const core of [first, later]) {
      expect(core.inbox.take(said({ ...message, word: 'two' }))).toEqual({ ...answer, changed: false });
      expect(() => core.inbox.check(said(message, 'u-2'))).not.toThrow();
      expect(core.inbox.hear(said(message, null, 'shout'))?.why).toBe('this requestId was used for say before');
      expect(core.view().words).toEqual(['one']);
    }
  });

  it('remembers the last 200 request ids, those of Updates too', () => {
    const core = new ActorCore(BOARD, begun());
    for (let n = 0; n <= MAX_KNOWN_REQUESTS; n += 1) core.inbox.take(said({ to: 'a', word: `w-${n}` }, `u-${n}`));

    expect(core.carried().answered).toHaveLength(MAX_KNOWN_REQUESTS);
    expect(core.inbox.take(said({ to: 'a', word: 'again' }, 'u-1')).changed).toBe(false);
    expect(core.inbox.take(said({ to: 'a', word: 'again' }, 'u-0')).changed).toBe(true);
  });

  it('refuses an unknown signal, one that cannot be read and one that its rules refuse, and none of them changes it', () => {
    const core = new ActorCore(BOARD, begun());

    expect(core.inbox.hear(said({ to: 'a', word: 'one' }, null, 'no-such'))?.why).toBe('known messages are say');
    expect(core.inbox.hear(said(['a payload that cannot be read']))?.why).toBe('to and word are needed');
    expect(core.inbox.hear(said({ to: 'a', word: 'rude' }))?.why).toBe('it is rude');
    expect(core.carried()).toEqual(begun());
  });

  it('checks an Update without a trace: it refuses, and says what changes nothing', () => {
    const core = new ActorCore(BOARD, begun());
    expect(() => core.inbox.check(said({ to: 'a', word: 'rude' }, 'u-1'))).toThrow(
      expect.objectContaining({ type: FAILURES.MessageRefused, message: 'it is rude' }),
    );
    expect(() => core.inbox.check(said({ to: 'a', word: 'early' }, 'u-1'))).toThrow(
      expect.objectContaining({ type: FAILURES.MessageBusy, message: 'it comes too early' }),
    );
    core.inbox.check(said({ to: 'a', word: 'one' }, 'u-2'));
    expect(core.carried()).toEqual(begun());
    core.inbox.take(said({ to: 'a', word: 'one' }, 'u-2'));

    expect(() => core.inbox.check(said({ to: 'a', word: 'one' }, 'u-3'))).toThrow(
      expect.objectContaining({ type: FAILURES.MessageUnchanged, message: 'it stands there', details: ['1 words'] }),
    );
    expect(core.inbox.take(said({ to: 'a', word: 'one' }))).toEqual({
      message: 'it stands there',
      status: '1 words',
      changed: false,
    });
  });

  it('tells one workflow one thing at a time, in order, and at most a hundred at once', () => {
    const two = new ActorCore(BOARD, begun());
    for (const word of ['one', 'two']) two.inbox.take(said({ to: 'a', word }));
    const [one, ...others] = two.begin(false);
    expect([one?.word, others.length, two.begin(false).length]).toEqual(['one', 0, 0]);
    if (one !== undefined) two.end(one);
    expect(two.begin(false).map(({ word }) => word)).toEqual(['two']);

    const core = new ActorCore(BOARD, begun());
    for (let n = 0; n < 150; n += 1) core.inbox.take(said({ to: `to-${n % 120}`, word: `w-${n}` }));
    const first = core.begin(false);

    expect(first.map(({ word }) => word)).toEqual(Array.from({ length: 100 }, (_, n) => `w-${n}`));
    expect(core.begin(false)).toEqual([]);
    for (const errand of first) core.end(errand);
    const second = core.begin(false).map(({ word }) => word);
    expect(second).toEqual(Array.from({ length: 50 }, (_, n) => `w-${n + 100}`));
  });

  it('begins nothing that lasts where another execution is due, which begins it: one after the other would never end', () => {
    const core = new ActorCore(boardOf(LASTING), begun());
    for (const word of ['one', 'two']) core.inbox.take(said({ to: 'a', word }));
    const [one] = core.begin(true);
    expect([one, core.begin(false).length]).toEqual([undefined, 1]);
    core.end({ workflowId: 'a', word: 'one' });
    core.inbox.take(said({ to: 'b', word: 'three' }));
    const [three] = core.begin(true);
    expect([three?.word, core.mayHandOver(true)]).toEqual(['three', false]);
    core.end({ workflowId: 'b', word: 'three' });
    expect([core.begin(true), core.mayHandOver(true), core.mayEnd]).toEqual([[], true, false]);

    const carried = JSON.parse(JSON.stringify(core.carried())) as Carried<Board>;
    const next = new ActorCore(boardOf(LASTING), carried);
    expect([next.begin(false).map(({ word }) => word), next.begin(false)]).toEqual([['two'], []]);
  });

  it('begins what lasts all the same where somebody waits for an answer, for this execution lives until they have it', () => {
    const core = new ActorCore(boardOf(LASTING), begun());
    for (const to of ['a', 'b']) core.inbox.take(said({ to, word: to }));

    expect(core.begin(true).map(({ word }) => word)).toEqual(['b']);
    expect([core.begin(true, true).map(({ word }) => word), core.mayHandOver(true)]).toEqual([['a'], false]);
    core.inbox.take(said({ to: 'c', word: 'c' }));
    expect(core.begin(true, true)).toHaveLength(1);
  });

  it('keeps the rules that an execution began with; the next one takes the newest, and what nobody here knows is an error', () => {
    const both = boardOf(FIRST, LOUD);
    const old = new ActorCore(both, begun());
    old.inbox.take(said({ to: 'a', word: 'one' }));
    const next = new ActorCore(both, old.carried());
    next.inbox.take(said({ to: 'a', word: 'two' }));

    expect(next.view().words).toEqual(['one', 'TWO']);
    expect([old.shown().memo, next.shown().memo]).toEqual([{ rules: 1 }, { rules: 2 }]);
    expect(() => new ActorCore(BOARD, next.carried())).toThrow('there are no rules 2 here; 1 is the newest');
  });
});
