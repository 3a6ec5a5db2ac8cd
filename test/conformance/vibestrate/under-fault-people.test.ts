/**
 * What people asked for, over faults: V-62, V-65, V-67 and V-122 with SIGKILL of worker, guard and server at the moment that matters, with a worker
 * that is stopped, and with messages that come late or twice. Counted by journal, history and the agents' ledgers.
 */
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TurnStage } from '../../../protocol/run/stages.js';
import { type AttendedRun, attendedRun } from '../../support/attended-run.js';
import { type CliResult, jsonLines } from '../../support/cli-world.js';
import { guardPid } from '../../support/guard-pid.js';
import { timersOf } from '../../support/history-timers.js';
import { sluiceBeside } from '../../support/host-cli.js';
import { afterKills } from '../../support/killed-run.js';
import { type OwnServer, openHostOn, openOwnServer } from '../../support/own-server.js';
import { quotaGateOf } from '../../support/quota-gate-of.js';
import { sideBySide } from '../../support/side-by-side.js';
import { openTestHost, type TestHost, type TestWorker } from '../../support/test-host.js';
import { PLAIN_FIXTURE } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const LIMIT_MS = 300_000;
const QUICK = 'limits:\n  heartbeat: 1s\n  killGrace: 300ms\n';
const TURNS = [
  'planning',
  'architecting',
  'executing',
  'reviewing',
  'verifying',
] as const satisfies readonly TurnStage[];
const SHORT = `stageList: [executing]\nattended: false\n${QUICK}`;

/** What the groups below do first: it mostly waits, so two of them are under way at a time. Each is awaited where its tests begin. */
const beginnings: (() => Promise<void>)[] = [];
let begun: ReadonlyMap<() => Promise<void>, Promise<void>>;
/** Closed when every beginning has ended, the last one first: also where only some of the tests were asked for nothing may outlive the file. */
const open: { close(): Promise<void> }[] = [];

let own: { readonly server: OwnServer; readonly host: TestHost };

beforeAll(async () => {
  // Alone: while it is opened, every host would be on its server.
  const server = await opened(openOwnServer());
  own = { server, host: await opened(openHostOn(server)) };
  begun = sideBySide(beginnings, 2, (begin) => begin());
}, LIMIT_MS);

afterAll(async () => {
  await Promise.allSettled(begun.values());
  for (const one of open.toReversed()) await one.close();
}, LIMIT_MS);

function prepare(begin: () => Promise<void>): void {
  beginnings.push(begin);
  beforeAll(() => begun.get(begin), LIMIT_MS);
}

async function opened<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const one = await opening;
  open.push(one);
  return one;
}

const heldAt = (...stages: readonly (typeof TURNS)[number][]) =>
  Object.fromEntries(stages.map((stage) => [stage, { ...PLAIN_FIXTURE.stages[stage], waitFor: `go-${stage}` }]));

/** Journal events of a type. */
const count = ({ run }: AttendedRun, type: string) => run.events().filter((event) => event.type === type).length;

/** How a pause comes in one run: the part before the kill and the part while nobody works. */
interface Asking {
  readonly before: (person: AttendedRun, id: string) => Promise<unknown>;
  readonly whileDead: (person: AttendedRun, id: string) => Promise<unknown>;
}

const nothing = async () => undefined;

const ASKINGS = {
  'accepted just before the kill': {
    before: (person, id) => person.send('pause', { requestId: id }),
    whileDead: nothing,
  },
  'sent while nobody works': {
    before: nothing,
    whileDead: (person, id) => person.run.handle.signal('pause', { requestId: id }),
  },
  'repeated after the kill, with the same request id': {
    before: (person, id) => person.send('pause', { requestId: id }),
    whileDead: (person, id) => person.run.handle.signal('pause', { requestId: id }),
  },
  'asked for by two at once': {
    before: (person, id) =>
      Promise.all([person.send('pause', { requestId: id }), person.send('pause', { by: 'another' })]),
    whileDead: nothing,
  },
} satisfies Record<string, Asking>;
type AskingName = keyof typeof ASKINGS;
const NAMES = Object.keys(ASKINGS) as AskingName[];

describe('a pause in each of five turns, in which the worker is killed, in every second one with the guard', () => {
  let people: ReadonlyMap<AskingName, AttendedRun>;
  const pausedAt: Record<string, (string | null)[]> = {};

  prepare(async () => {
    const host = await opened(openTestHost());
    let worker = await host.startWorker();
    const start = async (name: AskingName) =>
      [name, await attendedRun(host, { config: QUICK, stages: heldAt(...TURNS) })] as const;
    people = new Map(await Promise.all(NAMES.map(start)));
    const each = <T>(work: (person: AttendedRun, name: AskingName) => Promise<T>) =>
      Promise.all(NAMES.map((name) => work(people.get(name) ?? missing(name), name)));
    for (const [index, stage] of TURNS.entries()) {
      await each((person) => person.started(stage));
      await each(async (person, name) => void (await ASKINGS[name].before(person, `${name} ${stage}`)));
      worker = await killed(host, worker, {
        guardToo: index % 2 === 1,
        // The agents end while nobody works for their runs.
        whileDead: () =>
          each(async (person, name) => {
            await ASKINGS[name].whileDead(person, `${name} ${stage}`);
            person.repository.release(`go-${stage}`);
          }),
      });
      await each(async (person, name) => {
        pausedAt[name] = [...(pausedAt[name] ?? []), (await person.until('paused')).pausedAtStatus];
        await person.send('resume');
      });
    }
    await each((person) => person.result());
  });

  it.each(NAMES)('V-62: %s, is honoured at the end of that very turn, 5 of 5, and once each', async (name) => {
    const person = people.get(name) ?? missing(name);

    expect(pausedAt[name]).toEqual(TURNS);
    expect([count(person, 'run.pause_requested'), count(person, 'run.paused'), count(person, 'run.resumed')]).toEqual([
      5, 5, 5,
    ]);
    expect(count(person, 'message.refused')).toBe(0);
    expect(person.turns()).toEqual(TURNS);
    expect(await person.result()).toMatchObject({ outcome: 'merge_ready' });
  });
});

describe('on a server that is killed with its workers', () => {
  const TITLES = ['first', 'second', 'third'];
  let held: AttendedRun;
  let titles: unknown[];
  let wait: { pending: unknown; before: unknown; after: unknown; turns: readonly string[]; outcome: string };
  let paused: { before: number; after: number; timers: readonly number[]; status: string };

  prepare(async () => {
    const { server, host } = own;
    let worker = await host.startWorker();
    /** Server, worker and guard, at once. */
    const killAll = async (whileDead: () => Promise<unknown> = nothing) => {
      process.kill(guardPid(host.home), 'SIGKILL');
      await Promise.all([server.kill(), worker.kill()]);
      await server.start();
      await whileDead();
      worker = await host.startWorker();
    };
    const limited = { text: 'Not yet.', outcome: 'rate_limited after=12', again: PLAIN_FIXTURE.stages.executing };
    const [person, waiting] = await Promise.all([
      attendedRun(host, { config: QUICK, stages: heldAt('planning') }),
      attendedRun(host, { config: SHORT, stages: { executing: limited } }),
    ]);
    held = person;
    await Promise.all([person.started('planning'), until(async () => (await timersOf(waiting.run.handle)).length > 0)]);
    const gate = await quotaGateOf(waiting.run.handle);
    const before = await timersOf(gate);

    titles = [];
    for (const title of TITLES) {
      await person.send('rename', { title });
      await killAll();
      titles.push((await person.run.view()).title);
    }
    await person.send('pause');
    await killAll(async () => person.repository.release('go-planning'));
    await person.until('paused');
    const length = await person.historyLength();
    await killAll(async () => {
      rmSync(join(person.run.runDir, 'state.json'));
      appendFileSync(join(person.run.runDir, 'events.jsonl'), '{"seq":');
    });
    const { status } = await person.run.view();
    paused = { before: length, after: await person.historyLength(), timers: await person.timers(), status };
    await killAll(async () => {
      for (const by of ['one', 'another']) await person.run.handle.signal('resume', { by, requestId: 'resume-once' });
    });
    await person.result();
    const { outcome } = await waiting.result();
    wait = {
      pending: before.map(({ firedAt }) => firedAt),
      before: begunAt(before),
      after: begunAt(await timersOf(gate)),
      turns: waiting.turns(),
      outcome,
    };
  });

  it('V-67: what was accepted holds though server, worker and guard get SIGKILL at once, three times of three', () => {
    expect(titles).toEqual(TITLES);
    expect(count(held, 'run.renamed')).toBe(TITLES.length);
  });

  it('V-62, V-65: a pause that was accepted just before SIGKILL of all is honoured, and waits through the next without an event or a timer', () => {
    expect(paused).toEqual({ before: paused.before, after: paused.before, timers: [], status: 'paused' });
    expect(held.run.statuses().slice(0, 4)).toEqual(['planning', 'paused', 'planning', 'planned']);
  });

  it('V-65: sent twice while no worker lives, with its state deleted and its journal torn, it is resumed once and ends as it would have', async () => {
    expect([count(held, 'run.paused'), count(held, 'run.resumed'), count(held, 'message.refused')]).toEqual([1, 1, 0]);
    expect(await held.result()).toMatchObject({ outcome: 'merge_ready' });
    expect(held.turns()).toEqual(TURNS);
    expect(held.run.events().map(({ seq }) => seq)).toEqual(held.run.events().map((_, index) => index + 1));
    expect(JSON.parse(readFileSync(join(held.run.runDir, 'state.json'), 'utf8'))).toEqual(await held.run.view());
  });

  it('V-122: a back-off is the same timer after SIGKILL of server, worker and guard in the middle of it; it does not begin again', () => {
    expect(wait.pending).toEqual([null]);
    expect(wait.after).toEqual(wait.before);
    expect(wait).toMatchObject({ turns: ['executing', 'executing'], outcome: 'merge_ready' });
  });
});

describe('a command to a worker that is stopped', () => {
  let person: AttendedRun;
  let printed: readonly CliResult[];

  prepare(async () => {
    const host = await opened(openTestHost());
    const worker = await host.startWorker();
    person = await attendedRun(host, { config: QUICK, stages: heldAt('planning') });
    await person.started('planning');
    worker.process.kill('SIGSTOP');
    const sluice = (...args: readonly string[]) => sluiceBeside(host, args, { cwd: person.repository.path });
    printed = await Promise.all([
      sluice('steer', person.run.runId, 'mind the gap', '--json'),
      sluice('resume', person.run.runId),
    ]);
    worker.process.kill('SIGCONT');
    await until(
      async () =>
        (await person.run.view()).seq > 0 && count(person, 'message.refused') > 0 && count(person, 'run.steered') > 0,
    );
    // Late, and once more: the request that was queued.
    const [queued] = jsonLines(printed[0]?.stdout ?? '');
    await person.run.handle.signal('steer', { text: 'mind the gap', requestId: queued?.['requestId'] });
    person.repository.release('go-planning');
    await person.result();
  });

  it('V-67: prints queued and never accepted, for the worker took nothing while SIGSTOP held it', () => {
    expect(printed.map(({ code }) => code)).toEqual([0, 0]);
    expect(jsonLines(printed[0]?.stdout ?? '')).toMatchObject([{ kind: 'message', name: 'steer', sent: 'queued' }]);
    expect(printed[1]?.stdout).toMatch(/^resume queued for /);
    expect(printed.map(({ stdout, stderr }) => /accepted/.test(stdout + stderr))).toEqual([false, false]);
  });

  it('V-67: after SIGCONT is applied once or refused once, though the server hands it out as Update and as Signal, and it is sent again', () => {
    expect([count(person, 'run.steered'), count(person, 'message.refused')]).toEqual([1, 1]);
    expect(person.prompt('architecting').split('mind the gap')).toHaveLength(2);
  });
});

describe('the retries of a turn', () => {
  let left: object;
  let hanging: AttendedRun;

  prepare(async () => {
    const stages = {
      executing: { text: 'Not yet.', outcome: 'transient the network is away', again: PLAIN_FIXTURE.stages.executing },
    };
    const kills = [{ name: 'turn.after-record', nth: 1 }] as const;
    left = await afterKills({ kills, config: SHORT, stages }, async ({ fired, result, turns, run }) => ({
      fired,
      outcome: result.outcome,
      turns,
      waits: (await timersOf(run.handle)).length,
      retries: run.events().filter(({ type }) => type === 'turn.retried').length,
    }));
  });

  prepare(async () => {
    const host = await opened(openTestHost());
    let worker = await host.startWorker();
    const executing = { hang: true, ignoreTerm: true };
    hanging = await attendedRun(host, {
      config: `${SHORT}stages:\n  executing:\n    timeout: 4s\n`,
      stages: { executing },
    });
    for (const times of [1, 2]) {
      await hanging.started('executing', times);
      worker = await killed(host, worker, { guardToo: true, whileDead: nothing });
    }
    await hanging.result();
  });

  it('V-122: one back-off follows a failed turn whose worker got SIGKILL between its record and the answer', () => {
    expect(left).toEqual({
      fired: ['turn.after-record'],
      outcome: 'merge_ready',
      turns: ['executing', 'executing'],
      waits: 1,
      retries: 1,
    });
  });

  it('V-122: a timeout is retried once, though worker and guard get SIGKILL in both turns and the agent ignores TERM', async () => {
    expect(await hanging.result()).toMatchObject({ outcome: 'failed' });
    expect(hanging.turns()).toEqual(['executing', 'executing']);
    expect([count(hanging, 'turn.retried'), count(hanging, 'turn.failed')]).toEqual([1, 2]);
    expect(hanging.run.events().at(-1)?.data['errorClass']).toBe('timeout');
  });
});

interface Killing {
  readonly guardToo: boolean;
  readonly whileDead: () => Promise<unknown>;
}

/** SIGKILL; answers the next worker. */
async function killed(host: TestHost, worker: TestWorker, { guardToo, whileDead }: Killing): Promise<TestWorker> {
  if (guardToo) process.kill(guardPid(host.home), 'SIGKILL');
  await worker.kill();
  await whileDead();
  return host.startWorker();
}

/** Without the time at which they fired. */
function begunAt(timers: Awaited<ReturnType<typeof timersOf>>): unknown {
  return timers.map(({ ms, startedAt }) => [ms, startedAt]);
}

function missing(name: string): never {
  throw new Error(`no run for "${name}"`);
}
