/** How a task is judged and planned before it may start: what is asked, what each answer leads to, and what is called off. Source: S-22 to S-52. */
import { describe, expect, it } from '@jest/globals';
import type { Classification } from '../../../protocol/admission/classifier-answer.js';
import type { AskName } from '../../../protocol/run/admission-policy.js';
import { ActorCore } from '../../../workflows/actor/core.js';
import { judgeItem } from '../../../workflows/item/item-judge.js';
import type { AskEnd, ItemErrand, ItemEvent, ItemState, ItemStep } from '../../../workflows/item/item-state.js';
import { ITEM_RULES, newItem } from '../../../workflows/item/item-table.js';
import { showItem, viewOf } from '../../../workflows/item/item-view.js';
import { anItemInput } from '../../support/an-item.js';
import { askedOf, stubAsk } from '../../support/stub-ask.js';

const NOW = Date.parse('2026-11-27T10:00:00.000Z');
const [RULES] = ITEM_RULES;

/** An item that hears one thing after the other. */
class Heard {
  readonly errands: ItemErrand[] = [];

  constructor(public state: ItemState) {}

  hears(...events: readonly ItemEvent[]): this {
    for (const event of events) {
      const step: ItemStep | undefined = RULES?.after(this.state, event, NOW);
      if (step === undefined) throw new Error('there are no rules');
      this.state = step.state;
      this.errands.push(...step.errands);
    }
    return this;
  }

  /** As a person: by its judge. */
  told(event: ItemEvent): string {
    const judged = judgeItem(this.state, event);
    if (judged.kind === 'accepted') this.hears(event);
    return judged.kind === 'refused' ? judged.why : judged.kind;
  }

  of<Kind extends ItemErrand['kind']>(kind: Kind): readonly Extract<ItemErrand, { kind: Kind }>[] {
    return this.errands.filter((errand): errand is Extract<ItemErrand, { kind: Kind }> => errand.kind === kind);
  }

  get at() {
    return { state: this.state.state, reason: this.state.reason };
  }
}

const WHO = { by: 'ann', note: null } as const;

function admitting(part: Parameters<typeof askedOf>[0] = {}, input: Parameters<typeof anItemInput>[0] = {}): Heard {
  return new Heard(newItem(anItemInput({ admission: askedOf(part), ...input }))).hears({ kind: 'begin' });
}

function ends(ask: AskName, end: AskEnd, pass = 0): ItemEvent {
  return { kind: 'askEnded', ask, pass, end };
}

function judged(classification: Partial<Classification> = {}, pass = 0): ItemEvent {
  const { answer } = stubAsk({ ask: 'classify' }, classification);
  if (answer === null) throw new Error('no answer');
  return ends('classify', { kind: 'answered', answer, standing: null }, pass);
}

function planned(pass = 0): ItemEvent {
  const { answer } = stubAsk({ ask: 'plan' });
  if (answer === null) throw new Error('no answer');
  return ends('plan', { kind: 'answered', answer, standing: null }, pass);
}

const failed = (ask: AskName, why = 'no JSON'): ItemEvent => ends(ask, { kind: 'failed', why });
const approve = (part: object = {}): ItemEvent => ({ kind: 'approve', ...WHO, planHash: null, choice: null, ...part });
const QUESTIONS = { questions: ['tabs?', 'since when?'] } as const;
const answer = (round: number, answers: readonly string[] = ['tabs', 'n/a']): ItemEvent => ({
  kind: 'answer',
  ...WHO,
  round,
  answers,
});

describe('a task that is judged and planned', () => {
  it('S-24: is asked both at once, and waits at the gate for the plan until both are answered', () => {
    const item = admitting();

    expect(item.at).toEqual({ state: 'admitting', reason: 'classify' });
    expect(item.of('ask').map(({ ask, pass }) => [ask, pass])).toEqual([
      ['classify', 0],
      ['plan', 0],
    ]);
    expect(item.hears(judged()).at).toEqual({ state: 'admitting', reason: 'plan' });
    expect(item.hears(planned()).at).toEqual({ state: 'gated', reason: 'plan' });
    expect(viewOf(item.state)).toMatchObject({ waits: 'person', why: 'small: one line' });
    expect(item.of('callOff')).toEqual([]);
  });

  it('is asked one after the other where the order says so, and no further than its answer needs', () => {
    const order = [['classify'], ['plan']] as const;
    const item = admitting({ order });

    expect(item.of('ask').map(({ ask }) => ask)).toEqual(['classify']);
    expect(
      item
        .hears(judged())
        .of('ask')
        .map(({ ask }) => ask),
    ).toEqual(['classify', 'plan']);
    expect(
      admitting({ order })
        .hears(judged({ scope: 'reject' }))
        .of('ask'),
    ).toHaveLength(1);
    expect(admitting({ order }).hears(failed('classify')).at).toEqual({ state: 'gated', reason: 'classify_failed' });
  });

  it('S-41: starts without a person where it is small and the config says so, but not past a gate of its own', () => {
    const small = admitting({ autoExecuteSmall: true }).hears(planned(), judged());
    const gated = admitting({ autoExecuteSmall: true }, { gate: 'start' }).hears(planned(), judged());

    expect(small.at).toEqual({ state: 'queued', reason: null });
    expect(gated.at).toEqual({ state: 'gated', reason: 'start' });
    expect(gated.told(approve())).toBe('accepted');
    expect(gated.at.state).toBe('queued');
  });

  it('stays paused until it is resumed, whatever is found out and said about it meanwhile', () => {
    const pause: ItemEvent = { kind: 'pause', ...WHO };
    const small = admitting({ autoExecuteSmall: true });
    expect(small.told(pause)).toBe('accepted');
    small.hears({ kind: 'askNoted', ask: 'plan', pass: 0, note: 'asked once more' }, planned(), judged());
    const asked = admitting().hears(judged(QUESTIONS));
    expect(asked.told(pause)).toBe('accepted');
    expect(asked.told({ kind: 'set', ...WHO, changes: { priority: 7 } })).toBe('accepted');
    expect(asked.told(answer(1))).toBe('accepted');

    expect([small.at.state, small.state.isHeld]).toEqual(['queued', true]);
    expect([asked.at.state, asked.state.isHeld]).toEqual(['admitting', true]);
    expect([small, asked].map((item) => item.told({ kind: 'resume', ...WHO }))).toEqual(['accepted', 'accepted']);
    expect([small.state.isHeld, asked.state.isHeld]).toEqual([false, false]);
  });

  it.each(['large', 'ambiguous'] as const)('S-40: waits for a person where it is %s', (scope) => {
    const item = admitting({ autoExecuteSmall: true }).hears(judged({ scope }), planned());

    expect(item.at).toEqual({ state: 'gated', reason: 'plan' });
  });

  it('S-30: waits for a person where the classifier is less sure than is asked for', () => {
    const sure = (confidence: number) =>
      admitting({ autoExecuteSmall: true, minConfidence: 0.6 }).hears(judged({ confidence }), planned()).at;

    expect([sure(0.4), sure(0.6)]).toEqual([
      { state: 'gated', reason: 'low_confidence' },
      { state: 'queued', reason: null },
    ]);
  });

  it('S-31, S-42, S-43: is closed where it is rejected, with the reason, whatever else was asked, and its plan is called off', () => {
    const item = admitting().hears(
      judged({ scope: 'reject', rejectReason: 'another repository', questions: ['which?'] }),
      planned(),
    );

    expect(item.at).toEqual({ state: 'closed', reason: 'rejected' });
    expect(viewOf(item.state)).toMatchObject({ why: 'another repository' });
    expect(viewOf(item.state).journal.at(-1)).toMatchObject({ driver: 'classify', note: 'another repository' });
    expect(item.of('callOff').map(({ asks }) => asks)).toEqual([['plan']]);
  });

  it('S-31: keeps the planner at work where it is ambiguous without a question', () => {
    expect(
      admitting()
        .hears(judged({ scope: 'ambiguous' }))
        .of('callOff'),
    ).toEqual([]);
  });

  it('S-44, S-45: waits for answers where there are questions, and is judged again with them', () => {
    const item = admitting().hears(judged(QUESTIONS));

    expect(item.at).toEqual({ state: 'clarifying', reason: 'questions' });
    expect(item.of('callOff')).toHaveLength(1);
    expect(item.of('writeQuestions')).toMatchObject([{ state: 'asked', round: 1, ...QUESTIONS }]);
    expect(item.told(answer(1))).toBe('accepted');
    expect(item.at.state).toBe('admitting');
    expect(item.of('writeQuestions').at(-1)).toMatchObject({ state: 'answered', round: 1, answers: ['tabs', 'n/a'] });
    expect(item.of('ask').slice(2)).toMatchObject([
      { ask: 'classify', pass: 1, rounds: [{ ...QUESTIONS, answers: ['tabs', 'n/a'] }] },
      { ask: 'plan', pass: 1 },
    ]);
    // What the first pass still said is over.
    expect(item.hears(planned(0)).state.admission?.plan).toBeNull();
    expect(item.hears(judged({}, 1), planned(1)).at).toEqual({ state: 'gated', reason: 'plan' });
  });

  it('S-47: is not answered by too few, by nothing, or by answers to a round that is over', () => {
    const item = admitting().hears(judged(QUESTIONS));

    expect(item.told(answer(1, ['tabs']))).toContain('Q2 has no answer');
    expect(item.told(answer(1, ['', ' ']))).toContain('no question is answered');
    expect(item.told(answer(1, ['a', 'b', 'c']))).toContain('3 answers to 2 questions');
    expect(item.told(answer(2))).toContain('its questions are those of round 1');
    expect(item.at.state).toBe('clarifying');
  });

  it('S-49: is asked three rounds of questions, and then waits for a person, with a plan', () => {
    const item = admitting();
    for (const round of [1, 2, 3]) {
      item.hears(judged(QUESTIONS, round - 1));
      expect(item.told(answer(round))).toBe('accepted');
    }

    item.hears(judged(QUESTIONS, 3), planned(3));

    expect(item.at).toEqual({ state: 'gated', reason: 'clarification_limit' });
    expect(viewOf(item.state).admission).toMatchObject({ round: 3, plan: { lines: ['1. [modify] change the line'] } });
  });

  it('S-29, S-37: waits for a person where nobody could judge or plan it, who has it planned again or run as it is', () => {
    const unplanned = () => admitting().hears(judged(), failed('plan', 'twice no JSON'));
    const item = unplanned();

    expect(item.at).toEqual({ state: 'gated', reason: 'plan_failed' });
    expect(viewOf(item.state).why).toBe('twice no JSON');
    expect(item.told(approve())).toContain('it has no plan; say what to do');
    expect(item.told(approve({ choice: 'again' }))).toBe('accepted');
    expect(item.of('ask').slice(2)).toMatchObject([{ pass: 1 }, { pass: 1 }]);
    const other = unplanned();
    expect(other.told(approve({ choice: 'one_step' }))).toBe('accepted');
    expect([other.at.state, other.state.admission?.plan]).toEqual(['queued', { kind: 'one_step' }]);
  });

  it('S-29: has the plan beside it where only the judging failed', () => {
    const item = admitting().hears(failed('classify'));

    expect(item.at.state).toBe('admitting');
    expect(item.hears(planned()).at).toEqual({ state: 'gated', reason: 'classify_failed' });
    expect(viewOf(item.state).admission?.plan).not.toBeNull();
  });

  it('S-39: is approved for the plan that is meant, and for none that is gone', () => {
    const item = admitting().hears(judged(), planned());

    expect(item.told(approve({ planHash: 'b'.repeat(64) }))).toContain('its plan is another by now (aaaaaaaaaaaa)');
    expect(item.told(approve({ planHash: 'a'.repeat(64) }))).toBe('accepted');
    expect(item.of('startRun')).toEqual([]);
  });
});

describe('who says that it may start', () => {
  const gated = (allowAgentApproval = false) => admitting({ allowAgentApproval }).hears(judged(), planned());
  const last = ({ state }: Heard) => state.journal.at(-1);

  it('S-51: stands in its journal with what kind of actor that was, and the plan', () => {
    const [ann, tool] = [gated(), gated()];
    ann.told(approve({ as: 'person' }));
    tool.told(approve());
    const small = admitting({ autoExecuteSmall: true }).hears(judged(), planned());
    const rejected = gated();
    rejected.told({ kind: 'reject', ...WHO, as: 'person' });

    const plan = 'a'.repeat(64);
    expect(last(ann)).toMatchObject({ driver: 'approve', actor: 'ann', decided: { as: 'person', plan } });
    expect(last(tool)).toMatchObject({ decided: { as: 'unverified', plan } });
    expect(last(small)).toMatchObject({ driver: 'plan', decided: { as: 'policy', plan } });
    expect(last(rejected)).toMatchObject({ driver: 'reject', decided: { as: 'person', plan } });
  });

  it('S-51: is no agent, unless the config says so', () => {
    expect(gated().told(approve({ as: 'agent' }))).toContain('only a person may');
    expect(gated().told({ kind: 'reject', ...WHO, as: 'agent' })).toContain('only a person may');
    const allowed = gated(true);
    expect(allowed.told(approve({ as: 'agent' }))).toBe('accepted');
    expect(last(allowed)).toMatchObject({ decided: { as: 'agent' } });
  });
});

describe('a task that somebody takes out while it is judged', () => {
  it.each([
    ['stop', 'parked', 'stopped'],
    ['reject', 'closed', 'rejected'],
    ['done', 'closed', 'forced'],
    ['remove', 'closed', 'deleted'],
  ] as const)('is not asked any more after %s', (kind, state, reason) => {
    const item = admitting();

    expect(item.told({ kind, ...WHO })).toBe('accepted');
    expect(item.at).toEqual({ state, reason });
    expect(item.of('callOff').map(({ asks }) => asks)).toEqual([['classify', 'plan']]);
    expect(item.hears(judged(), planned()).at).toEqual({ state, reason });
  });

  it('is judged before it runs where it is taken up again, and nothing that is known is asked twice', () => {
    const early = admitting();
    early.told({ kind: 'stop', ...WHO });
    early.told({ kind: 'run', ...WHO });
    expect([early.at.state, early.of('ask').at(-1)?.pass]).toEqual(['admitting', 1]);

    const late = admitting({}, { dependsOn: ['9'] }).hears(judged(), planned());
    late.hears({ kind: 'dependencyFailed', id: '9', reason: null });
    expect(late.at).toEqual({ state: 'parked', reason: 'dependency_failed' });
    late.told({ kind: 'run', ...WHO });
    expect(late.at).toEqual({ state: 'gated', reason: 'plan' });
    expect(late.of('ask')).toHaveLength(2);
  });

  it('is asked only what is not known yet where it is taken up again on its way', () => {
    const item = admitting().hears(judged());
    item.told({ kind: 'stop', ...WHO });
    item.told({ kind: 'run', ...WHO });

    expect(item.at).toEqual({ state: 'admitting', reason: 'plan' });
    expect(item.of('ask').map(({ ask, pass }) => `${ask} ${pass}`)).toEqual(['classify 0', 'plan 0', 'plan 1']);
    expect(item.hears(planned()).at.state).toBe('admitting');
    expect(item.hears(planned(1)).at).toEqual({ state: 'gated', reason: 'plan' });
  });

  it('is not asked what waited behind an ask that was being called off, once it is stopped again', () => {
    const first = newItem(anItemInput({ admission: askedOf() }));
    const core = new ActorCore(
      {
        rules: ITEM_RULES,
        first,
        signals: [],
        updates: [],
        read: () => ({ kind: 'bad', why: 'nobody sends anything' }),
        perform: async () => undefined,
        show: showItem,
        view: viewOf,
      },
      { rules: 1, state: first, answered: [] },
    );
    const asked = (event: ItemEvent) => {
      core.tell(event);
      return core.begin(false).flatMap((errand) => (errand.kind === 'ask' ? [`${errand.ask} ${errand.pass}`] : []));
    };
    expect(asked({ kind: 'begin' })).toEqual(['classify 0', 'plan 0']);
    for (const kind of ['stop', 'run'] as const) expect(asked({ kind, ...WHO })).toEqual([]);
    core.end({ kind: 'ask', workflowId: 'ask plan', lasts: true, ask: 'plan', pass: 0, rounds: [], candidates: [] });
    expect(core.begin(false)).toMatchObject([{ kind: 'ask', ask: 'plan', pass: 1 }]);

    asked({ kind: 'stop', ...WHO });
    core.end({
      kind: 'ask',
      workflowId: 'ask classify',
      lasts: true,
      ask: 'classify',
      pass: 0,
      rounds: [],
      candidates: [],
    });
    expect(core.begin(false)).toEqual([]);
  });

  it('takes its questions back where nobody waits for an answer any more', () => {
    const item = admitting().hears(judged(QUESTIONS));
    item.told({ kind: 'reject', ...WHO });

    expect(item.of('writeQuestions').at(-1)).toMatchObject({ state: 'withdrawn', round: 1 });
  });

  it('is judged once more after its close only where it never ran', () => {
    const again = (runs: number) => ({ key: 'k', runs, by: 'ann', note: null, at: '2026-11-27T10:00:00.000Z' });

    expect(admitting({}, { again: again(0) }).at.state).toBe('admitting');
    expect(admitting({}, { again: again(1) }).at.state).toBe('queued');
  });

  it('that ran before is not judged when it is taken up, parked, and taken up once more', () => {
    const item = admitting({}, { again: { key: 'k', runs: 1, by: 'ann', note: null, at: '2026-11-27T10:00:00.000Z' } });
    item.told({ kind: 'stop', ...WHO });
    expect(item.at.state).toBe('parked');
    item.told({ kind: 'run', ...WHO });

    expect(item.at.state).toBe('queued');
    expect(item.of('ask')).toEqual([]);
  });
});
