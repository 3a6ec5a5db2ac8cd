import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { ShownGate } from '../../../client/cli/gates/gate-block.js';
import { answerGates } from '../../../client/cli/watch/answer-gate.js';
import type { MessageToSend, Sent } from '../../../client/sluice.js';
import { aGate, aQuestion, COMMIT } from '../../support/gate-builder.js';
import { until } from '../../support/until.js';
import { openTerminal } from './fake-io.js';

const ACCEPTED: Sent = {
  kind: 'accepted',
  answer: { message: 'gate-1 is decided', status: 'executing', changed: true },
};

function anAnswerer(
  terminal = openTerminal(),
  answer: () => Promise<Sent> = async () => ACCEPTED,
  runDir: string | null = null,
) {
  let gaveWay = 0;
  const sent: MessageToSend[] = [];
  const shown: (ShownGate | null)[] = [];
  let now = 0;
  const answerer = answerGates(terminal.context, {
    now: () => now,
    workflowId: 'shop-1',
    repo: '/nonexistent',
    runDir,
    display: {
      gate: (gate) => shown.push(gate),
      giveWay(work) {
        gaveWay += 1;
        return work();
      },
    },
    sluice: {
      details: () => Promise.reject(new Error('no worker answers')),
      send(_workflowId, message) {
        sent.push(message);
        return answer();
      },
    },
  });
  const told = () => shown.at(-1)?.told.join('\n') ?? '';
  /** Keys one after the other, as fast as somebody types. */
  const type = (text: string) => {
    for (const key of text) {
      now += 150;
      terminal.press(key);
    }
  };
  const wait = (ms: number) => {
    now += ms;
  };
  return { ...terminal, answerer, sent, shown, told, type, wait, gaveWay: () => gaveWay };
}

describe('an open gate in the live view', () => {
  it('is approved with one key, about the commit on the screen', async () => {
    const { answerer, press, sent, told } = anAnswerer();

    answerer.gate(aGate());
    press('a');
    await until(() => told() !== '');

    expect(sent).toMatchObject([
      { name: 'approve', argument: { gate: 'gate-1', decision: 'approve', commit: COMMIT, note: null } },
    ]);
    expect(sent[0]?.argument['by']).toMatch(/@/);
    expect(told()).toBe('accepted: gate-1 is decided');
  });

  it('takes an answer as it is typed', async () => {
    const { answerer, press, sent } = anAnswerer();

    answerer.gate(aQuestion());
    for (const key of ['8', '0', '\r']) press(key);
    await until(() => sent.length > 0);

    expect(sent).toMatchObject([{ name: 'answer', argument: { promptId: 'gate-1', text: '80' } }]);
  });

  it('is not decided by what was typed before it opened, or after it closed', () => {
    const { answerer, press, sent } = anAnswerer();

    press('a');
    answerer.gate(aGate());
    answerer.gate(null);
    press('a');

    expect(sent).toEqual([]);
  });

  it('can be decided again after the run refused', async () => {
    const { answerer, press, sent, told } = anAnswerer(openTerminal(), async () => ({
      kind: 'refused',
      why: 'stale commit',
    }));

    answerer.gate(aGate());
    press('a');
    await until(() => told() !== '');
    press('a');

    expect(told()).toContain('stale commit');
    expect(sent).toHaveLength(2);
  });

  it('says so where the server does not answer, and stays', async () => {
    const { answerer, press, shown, told } = anAnswerer(openTerminal(), () =>
      Promise.reject(new Error('no connection')),
    );

    answerer.gate(aGate());
    press('a');
    await until(() => told() !== '');

    expect(told()).toContain('no connection');
    expect(shown.at(-1)?.prompt).toEqual({ kind: 'choosing' });
  });

  it('keeps what became of one gate off the next', async () => {
    let release = (_sent: Sent) => {};
    const { answerer, press, shown } = anAnswerer(openTerminal(), () => new Promise((resolve) => (release = resolve)));

    answerer.gate(aGate());
    press('a');
    answerer.gate(aGate({ id: 'gate-2' }));
    release(ACCEPTED);
    await new Promise(setImmediate);

    expect(shown.at(-1)?.gate.id).toBe('gate-2');
    expect(shown.at(-1)?.told.join()).not.toContain('accepted');
  });

  it.each([
    ['at once', () => {}],
    [
      'after a while in which none was open',
      (run: ReturnType<typeof anAnswerer>) => {
        run.answerer.gate(null);
        run.wait(60_000);
      },
    ],
  ])('is not decided by a text for the gate before, when it opens %s', (_, between) => {
    const run = anAnswerer();

    run.answerer.gate(aGate());
    run.type('rno, it bre');
    between(run);
    run.answerer.gate(aGate({ id: 'gate-2' }));
    run.type('aks again, a big mistake\r');

    expect(run.sent).toEqual([]);
    expect(run.shown.at(-1)).toMatchObject({ gate: { id: 'gate-2' }, prompt: { kind: 'left' } });
  });

  it('is not decided by keys that were typed until just now, and is after a second, with g', () => {
    const { answerer, sent, shown, type, wait } = anAnswerer();

    type('a');
    answerer.gate(aGate());
    type('a');
    const hasty = [...sent];
    wait(1_000);
    type('ga');

    expect(hasty).toEqual([]);
    expect(shown[0]?.told.join()).toContain('press g');
    expect(sent).toMatchObject([{ name: 'approve', argument: { gate: 'gate-1' } }]);
  });

  it('begins with its keys where the last one is a second old', () => {
    const { answerer, sent, type, wait } = anAnswerer();

    type('a');
    wait(1_000);
    answerer.gate(aGate());
    type('a');

    expect(sent).toHaveLength(1);
  });

  it.each([
    ['in a pipe', openTerminal({ live: false, interactive: false })],
    ['without a keyboard', openTerminal({ interactive: false })],
    ['with --json', openTerminal({}, true)],
    ['inside a turn', openTerminal({ env: { SLUICE_TURN: 'abc' } })],
  ])('reads no keys %s, and shows the commands instead', (_, terminal) => {
    const { answerer, press, sent, shown } = anAnswerer(terminal);

    answerer.gate(aGate());
    press('a');

    expect(terminal.listens()).toBe(false);
    expect(sent).toEqual([]);
    expect(shown.at(-1)?.prompt).toBeNull();
  });

  it('is looked at in full in the pager, which has the keys and the screen meanwhile, and is decided after it', async () => {
    const runDir = mkdtempSync(join(tmpdir(), 'sluice-gate-'));
    const [shown, left] = [join(runDir, 'shown'), join(runDir, 'left')];
    writeFileSync(join(runDir, 'plan.md'), 'the whole plan\n');
    const env = { PATH: process.env['PATH'], PAGER: `cat > '${shown}'; until [ -e '${left}' ]; do sleep 0.01; done` };
    const { answerer, press, sent, listens, gaveWay } = anAnswerer(openTerminal({ env }), undefined, runDir);

    answerer.gate(aGate());
    press('p');
    await until(() => existsSync(shown) && readFileSync(shown, 'utf8') !== '');
    expect([listens(), gaveWay()]).toEqual([false, 1]);
    writeFileSync(left, '');
    await until(listens);
    press('a');

    expect(readFileSync(shown, 'utf8')).toBe('the whole plan\n');
    expect(sent).toMatchObject([{ name: 'approve', argument: { decision: 'approve' } }]);
    rmSync(runDir, { recursive: true });
  });

  it('is not decided by who looked at the one before in the pager when it opened', async () => {
    const runDir = mkdtempSync(join(tmpdir(), 'sluice-gate-'));
    const left = join(runDir, 'left');
    writeFileSync(join(runDir, 'plan.md'), 'the plan\n');
    const env = { PATH: process.env['PATH'], PAGER: `cat > /dev/null; until [ -e '${left}' ]; do sleep 0.01; done` };
    const run = anAnswerer(openTerminal({ env }), undefined, runDir);

    run.answerer.gate(aGate());
    run.press('p');
    await until(() => run.gaveWay() === 1);
    run.wait(60_000);
    run.answerer.gate(aGate({ id: 'gate-2' }));
    writeFileSync(left, '');
    await until(run.listens);
    run.wait(5_000);
    run.press('a');

    expect([run.sent, run.shown.at(-1)?.prompt]).toEqual([[], { kind: 'left' }]);
    rmSync(runDir, { recursive: true });
  });

  it('keeps what is typed while something to look at is still read', async () => {
    const { answerer, press, shown, told, sent } = anAnswerer();

    answerer.gate(aGate());
    for (const key of ['v', 'r', 'b']) press(key);
    await until(() => told() !== '');
    press('a');

    expect(shown.at(-1)?.prompt).toEqual({ kind: 'typing', what: 'reject', text: 'ba' });
    expect(sent).toEqual([]);
  });

  it('says so where there is nothing to look at', async () => {
    const { answerer, press, told } = anAnswerer();

    answerer.gate(aGate());
    press('v');
    await until(() => told() !== '');

    expect(told()).toContain('there is no review yet');
  });

  it('gives the keyboard back', async () => {
    const { answerer, listens } = anAnswerer();

    await answerer.close();

    expect(listens()).toBe(false);
  });
});
