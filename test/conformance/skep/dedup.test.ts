/** Tasks that are there already, on a real host: real worker, real repositories, scripted agent. Source: docs/requirements/skep.md. */
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ScriptedTurn } from '../../../activities/agent/scripted/fixture.js';
import { readLedger } from '../../../activities/agent/scripted/ledger.js';
import type { Verdict } from '../../../protocol/actors/backlog.js';
import { JUDGED, PLANNED, say } from '../../support/admitted-project.js';
import type { BacklogOf } from '../../support/backlog-client.js';
import { openProject } from '../../support/backlog-project.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { openTestHost, type TestHost } from '../../support/test-host.js';

const DEDUP = 'admission:\n  order: [dedup]\n';

const EXPORT = 'Export the monthly report as a CSV file with one row per customer';

/** The first of what was said of a create. */
const saidOf = async (backlog: BacklogOf, task: string | Record<string, unknown>): Promise<Verdict | undefined> =>
  (await backlog.create([task])).verdicts?.[0];

describe('a task that is compared', () => {
  let host: TestHost;

  beforeAll(async () => {
    host = await openTestHost();
    await host.startWorker();
  });

  afterAll(() => host.close());

  /** Nothing starts, so that what is there stays queued. */
  async function open(project: string, config = DEDUP) {
    const opened = await openProject(host, project, { config });
    await opened.backlog.say('pause');
    return opened;
  }

  it('S-07: twenty equal creates at once give one task and nineteen duplicates', async () => {
    const { backlog } = await open('twenty');

    const answers = await Promise.all(Array.from({ length: 20 }, () => backlog.create([EXPORT])));

    const kinds = answers.map(({ verdicts }) => verdicts?.[0]?.kind);
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'duplicate')).toHaveLength(19);
    const { counts } = await backlog.status();
    expect(counts).toMatchObject({ queued: 1, gated: 0, running: 0, parked: 0 });
  });

  const BLOCK = `${DEDUP}dedup:\n  onHit: block\n`;
  /** Of the same words, in another order: nothing that the layer minhash finds. */
  const NEAR = 'With one row per customer, export as a CSV file the monthly report';

  it('S-08, S-18, S-19: runs its layers in their order, asks no agent, and leaves a closed record that names the other task and how it was found', async () => {
    const { backlog, repository } = await open('layers');
    await backlog.create([EXPORT]);

    const said = await saidOf(backlog, EXPORT.toUpperCase());

    expect(said).toMatchObject({ kind: 'duplicate', id: '2', of: '1', score: 1 });
    expect(said).toMatchObject({ reason: 'already queued as task #1 (status: queued)' });
    const { state, reason, journal, dedup } = await backlog.item('2');
    expect([state, reason, dedup?.duplicate?.of]).toEqual(['closed', 'duplicate', '1']);
    expect(dedup?.pass.layers.map(({ layer }) => layer)).toEqual(['keyword', 'trigram', 'tfidf', 'minhash']);
    expect(dedup?.pass).toMatchObject({
      at: expect.stringMatching(/^\d{4}-/),
      ms: expect.any(Number),
      candidates: ['1'],
    });
    expect(journal.find(({ driver }) => driver === 'dedup')?.note).toContain('minhash #1=1.00');
    // No agent was started at all.
    expect(existsSync(repository.ledgerPath)).toBe(false);
  });

  it('S-09, S-14: refuses whatever is alike where the config says block, and goes no further than the first layer that hits', async () => {
    const judged = await open('judges');
    const blocked = await open('blocks', BLOCK);
    for (const { backlog } of [judged, blocked]) await backlog.create([EXPORT]);

    const said = await saidOf(blocked.backlog, NEAR);

    expect(said).toMatchObject({ kind: 'duplicate', layer: 'keyword' });
    const { dedup } = await blocked.backlog.item('2');
    expect(dedup?.pass.layers).toHaveLength(1);
    expect(await saidOf(judged.backlog, NEAR)).toMatchObject({ kind: 'created' });
  });

  it('S-10: refuses thresholds that are none, and takes the others as the least that hits', async () => {
    const said = async (project: string, threshold: string) =>
      saidOf((await open(project, `${DEDUP}dedup:\n  thresholds:\n    keyword: ${threshold}\n`)).backlog, EXPORT);

    expect(await said('none', '0')).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('above 0, and at most 1'),
    });
    expect(await said('beyond', '1.01')).toMatchObject({ kind: 'refused' });
    expect(await said('all', '1')).toMatchObject({ kind: 'created' });
  });

  it('S-11: finds a duplicate of a task that is queued, gated and parked', async () => {
    const { backlog } = await open('open');
    await backlog.create([EXPORT, { task: 'Rename the command line flag quiet to silent everywhere', gate: 'start' }]);
    await backlog.create(['Write a page about how the cache is emptied at night']);
    await backlog.reaches('3', 'queued');
    await backlog.tell('3', 'stop');

    for (const [task, of] of [
      [EXPORT, '1'],
      ['Rename the command line flag quiet to silent everywhere', '2'],
      ['Write a page about how the cache is emptied at night', '3'],
    ] as const)
      expect(await saidOf(backlog, task)).toMatchObject({ kind: 'duplicate', of });
  });

  it('S-11: finds none of a task that is closed, as soon as that is', async () => {
    const { backlog } = await open('gone');
    await backlog.create([EXPORT]);
    await backlog.tell('1', 'reject');
    await backlog.reaches('1', 'closed');

    expect(await saidOf(backlog, EXPORT)).toMatchObject({ kind: 'created', id: '2' });
  });

  it('S-12: shows what was merged as possibly implemented already, and never refuses because of it', async () => {
    const { backlog, repository } = await openProject(host, 'merged', {
      config: `${BLOCK}stageList: [executing, validating]\nlanding:\n  mode: auto\n  needs: checked\n`,
    });
    // The base is free.
    repository.git('switch', '-qc', 'other');
    await backlog.create([{ task: EXPORT, base: 'main' }]);
    expect(await backlog.reaches('1', 'closed')).toMatchObject({ reason: 'merged' });

    expect(await saidOf(backlog, { task: EXPORT, base: 'main' })).toMatchObject({ kind: 'created', id: '2' });

    const { state, reason, dedup } = await backlog.item('2');
    expect([state, reason]).toEqual(['gated', 'possible_duplicate']);
    expect(dedup?.possible).toEqual([{ id: '1', isMerged: true }]);
    const shown = await sluiceBeside(host, ['task', 'show', '2'], { cwd: repository.path });
    expect(shown.stdout).toContain('merged-1 (possibly already implemented)');
  });

  it('S-13: refuses equal text and near copies, lets a person look at what is merely alike, and starts what is like nothing', async () => {
    const { backlog } = await open('three');
    await backlog.create([EXPORT]);

    expect(await saidOf(backlog, `  ${EXPORT}!  `)).toMatchObject({ kind: 'duplicate', of: '1' });
    expect(await saidOf(backlog, NEAR)).toMatchObject({ kind: 'created', id: '3' });
    expect(await backlog.item('3')).toMatchObject({ state: 'gated', reason: 'possible_duplicate' });
    expect(await saidOf(backlog, 'Draw the icons of the toolbar in the dark colours')).toMatchObject({ id: '4' });
    expect(await backlog.item('4')).toMatchObject({ state: 'queued' });
  });

  it.each([
    ['an antonym', 'Enable the cache of the report page', 'Disable the cache of the report page'],
    [
      'another direction',
      'Move the settings from the client to the server',
      'Move the settings from the server to the client',
    ],
    ['a negation', 'Retry the upload when the network fails', 'Do not retry the upload when the network fails'],
    ['other signs', 'Rewrite the parser in C++', 'Rewrite the parser in C#'],
  ])('S-15: does not refuse what differs by %s', async (what, one, other) => {
    const { backlog } = await open(what.replaceAll(' ', '-'), BLOCK);
    await backlog.create([one]);

    expect(await saidOf(backlog, other)).toMatchObject({ kind: 'created' });
  });

  it('S-16: takes in what is forced, and notes by whom and in spite of what', async () => {
    const { backlog } = await open('forced');
    await backlog.create([EXPORT]);

    expect(await saidOf(backlog, { task: EXPORT, force: true })).toMatchObject({ kind: 'created', id: '2' });
    const { state, journal } = await backlog.item('2');
    expect(state).toBe('queued');
    expect(journal.find(({ driver }) => driver === 'dedup.forced')).toMatchObject({
      actor: 'ann',
      note: 'near-duplicate of task #1 (keyword=1.00)',
    });
  });

  it('S-16, S-42: takes a duplicate in again where that is forced, and notes by whom and in spite of what', async () => {
    const { backlog } = await open('forced-again');
    await backlog.create([EXPORT]);
    expect(await saidOf(backlog, EXPORT)).toMatchObject({ kind: 'duplicate', id: '2', of: '1' });

    const again = { again: '2', runs: 0, note: 'it is another one', force: true };
    const { verdicts } = await backlog.create([again], 'again', 'bob');

    expect(verdicts).toMatchObject([{ kind: 'known', id: '2' }]);
    const { journal, dedup } = await backlog.reaches('2', 'queued');
    expect(journal).toMatchObject([
      { from: null, to: 'closed', reason: 'duplicate' },
      { from: 'closed', to: 'queued', driver: 'run', actor: 'bob', note: 'it is another one' },
      { driver: 'dedup.forced', actor: 'bob', note: 'near-duplicate of task #1 (keyword=1.00)' },
    ]);
    expect(dedup).toMatchObject({ duplicate: null, forced: { of: '1' } });
    // It is there: the next of that text is its duplicate, or the first one's.
    expect(await saidOf(backlog, EXPORT)).toMatchObject({ kind: 'duplicate', id: '3' });
  });

  it('S-18, S-20, S-21: says the same at the command line, with exit code 3, and keeps nothing of a dry run', async () => {
    const { backlog, repository } = await open('shell');
    await backlog.create([EXPORT]);
    const sluice = (...args: readonly string[]) =>
      sluiceBeside(host, ['task', 'create', EXPORT, ...args], { cwd: repository.path });

    const dry = await sluice('--dry-run', '--json');
    const { counts } = await backlog.status();
    const real = await sluice('--json');

    const answer = { isDuplicate: true, reason: 'already queued as task #1 (status: queued)', taskId: '1', score: 1 };
    expect([dry.code, real.code]).toEqual([3, 3]);
    expect(JSON.parse(dry.stdout)).toMatchObject({ ...answer, id: null });
    expect(JSON.parse(real.stdout)).toMatchObject({ ...answer, id: '2' });
    expect(counts.queued).toBe(1);
    expect(await saidOf(backlog, EXPORT)).toMatchObject({ kind: 'duplicate', id: '3', of: '1', score: 1 });
    expect(await sluice('--force')).toMatchObject({ code: 0 });
  });

  /** Of other words: no layer hits, and both are candidates of each other. */
  const OTHER_WORDS = 'Let people download a spreadsheet of what each client did, month by month';
  const ASK = `${DEDUP}dedup:\n  ask: true\n`;

  const openAsking = (project: string, dedup: ScriptedTurn | readonly ScriptedTurn[], config = ASK) =>
    openProject(host, project, { config, fixture: { ledger: 'ledger.txt', stages: {}, asks: { dedup } } });

  const isSame = (of: unknown = 1) => say({ duplicate: true, duplicate_of: of, reason: 'both ask for a table' });

  it('S-09, S-17: asks an agent about those that are most like it where no layer hits, and closes what it takes for one of them', async () => {
    const { backlog, repository } = await openAsking('asks', isSame());
    await backlog.say('pause');
    await backlog.create([EXPORT]);

    expect(await saidOf(backlog, OTHER_WORDS)).toMatchObject({ kind: 'created', id: '2' });

    const { reason, why, journal, admission } = await backlog.reaches('2', 'closed');
    expect([reason, admission?.duplicateOf]).toEqual(['duplicate', '1']);
    expect(why).toBe('near-duplicate of task #1 (asked: both ask for a table)');
    expect(journal.at(-1)).toMatchObject({ from: 'admitting', to: 'closed', driver: 'dedup' });
    const [turn, ...others] = readLedger(repository.ledgerPath).filter(({ event }) => event === 'START');
    // The first task was like nothing: nobody was asked about it.
    expect([turn?.stage, others]).toEqual(['dedup', []]);
  });

  it('S-16: asks nobody about what is forced', async () => {
    const { backlog, repository } = await openAsking('forced-past', isSame());
    await backlog.say('pause');
    await backlog.create([EXPORT]);

    expect(await saidOf(backlog, { task: OTHER_WORDS, force: true })).toMatchObject({ kind: 'created', id: '2' });

    await backlog.reaches('2', 'queued');
    expect(existsSync(repository.ledgerPath)).toBe(false);
  });

  it.each([
    ['ends with an error', { exit: 3, text: 'no' }, 'exit'],
    ['takes too long', { hang: true, text: '' }, 'asked about 1: no answer'],
    ['answers without JSON', { text: 'It is the same.' }, 'there is no JSON object'],
    ['answers in another form', say({ duplicate: 'perhaps', reason: 'x' }), 'it must be true or false'],
    ['names a task that it was not shown', isSame(99), 'duplicate_of is 99'],
  ] as const)('S-13, S-17: takes the task in where the agent %s, and says why', async (what, turn, why) => {
    const { backlog } = await openAsking(what.replaceAll(' ', '-'), turn, `${ASK}asks:\n  dedup: {timeout: 3s}\n`);
    await backlog.say('pause');
    await backlog.create([EXPORT, OTHER_WORDS]);

    const { journal } = await backlog.reaches('2', 'queued');

    const note = journal.filter(({ driver }) => driver === 'dedup').at(-1)?.note;
    expect(note).toContain('it counts as none of them');
    expect(note).toContain(why);
  });

  it('S-49: compares a task again with the answers of people, not with itself, and lets a person look', async () => {
    const asks = {
      dedup: [say({ duplicate: false, duplicate_of: null, reason: 'too vague' }), isSame()],
      classify: [say({ ...JUDGED, needs_clarification: true, clarifying_questions: ['What of it?'] }), say(JUDGED)],
      plan: say(PLANNED),
    };
    const config = `${ASK}stageList: [planning, executing, validating]\n`.replace(
      '[dedup]',
      '[dedup, [classify, plan]]',
    );
    const { backlog } = await openProject(host, 'compared-again', {
      config,
      fixture: { ledger: 'ledger.txt', stages: {}, asks },
    });
    await backlog.create([{ task: EXPORT, force: true }]);
    await backlog.reaches('1', 'clarifying');
    await backlog.create(['Something about the report']);
    await backlog.reaches('2', 'clarifying');

    await backlog.tell('2', 'answer', { round: 1, answers: [EXPORT] });

    const { reason, journal, dedup } = await backlog.reaches('2', 'gated');
    expect([reason, dedup?.duplicate]).toEqual(['possible_duplicate', null]);
    const notes = journal.filter(({ driver }) => driver === 'dedup').map(({ note }) => note ?? '');
    expect(notes).toHaveLength(4);
    expect(notes[2]).toMatch(/^compared again: possibly task #1.*candidates 1;/);
    expect(notes[3]).toContain('asked about 1: it is task #1');
  });
});
