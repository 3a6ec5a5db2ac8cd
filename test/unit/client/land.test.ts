import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { followBegun } from '../../../client/cli/commands/after-run.js';
import { followRuns } from '../../../client/cli/commands/land.js';
import { steer } from '../../../client/cli/commands/landings.js';
import { takeChain } from '../../../client/cli/landing/take-chain.js';
import type { Sluice } from '../../../client/sluice.js';
import { BUILT_ANEW } from '../../../config/system/error-code.js';
import type { LandingView } from '../../../protocol/actors/landing.js';
import type { MergeQueueView } from '../../../protocol/actors/merge-queue.js';
import { aListedRun } from '../../support/gate-builder.js';
import { openTerminal } from './fake-io.js';

const QUEUE = 'queue:shop';

const aLanding = (over: Partial<LandingView> = {}): LandingView => ({
  runId: 'shop-1',
  merge: 'queued',
  base: 'main',
  host: 'host-1',
  pull: null,
  repair: null,
  commit: 'c1',
  gate: null,
  waits: null,
  paused: null,
  abandoned: null,
  gates: [],
  updatedAt: '2026-11-21T10:00:00.000Z',
  seq: 1,
  entry: { id: 'e1', queue: QUEUE, state: 'landing', why: null },
  ...over,
});

const MERGED = { merge: 'merged', entry: null } as const;
const READY = { entry: { id: 'e1', queue: QUEUE, state: 'ready', why: null } } as const;

type Queues = Awaited<ReturnType<Sluice['mergeQueues']>>;

/** Only what is asked of a server here; any other call is a mistake of the code under test. */
function aServer(landing: Sluice['landing'], queues: Queues = []) {
  const sent: string[] = [];
  const part: Pick<Sluice, 'landing' | 'mergeQueues' | 'send'> = {
    landing,
    mergeQueues: async () => queues,
    send: async (_workflowId, { name }) => {
      sent.push(name);
      return { kind: 'accepted', answer: { message: 'taken', status: 'open', changed: true } };
    },
  };
  return { sluice: part as Sluice, sent };
}

describe('landings that are followed', () => {
  let now = 0;

  beforeEach(() => {
    jest.spyOn(Date, 'now').mockImplementation(() => now);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A missed answer takes half of the time after which a server stays away. */
  const answers = (views: readonly (LandingView | null)[]): Sluice['landing'] => {
    let next = 0;
    return async () => {
      const view = views[Math.min(next, views.length - 1)] ?? null;
      next += 1;
      if (view !== null) return view;
      now += 16_000;
      throw new Error('14 UNAVAILABLE');
    };
  };

  const follow = (landing: Sluice['landing'], { updateCheckout = false, queues = [] as Queues } = {}) => {
    const terminal = openTerminal();
    const runs = [{ runId: 'shop-1', workflowId: 'shop-1', repo: '/nonexistent' }];
    const { sluice } = aServer(landing, queues);
    return { ...terminal, code: followRuns(terminal.context, sluice, { runs, updateCheckout, isLeft: false }) };
  };

  it('are left where the server stays away, which is told', async () => {
    const { code, out, err } = follow(answers([aLanding(), null]));

    expect(await code).toBe(130);
    expect(out).toEqual(['shop-1 is merged with main and checked']);
    expect(err.join('\n')).toContain('stays away');
    expect(err.join('\n')).toContain('sluice up');
  });

  it('are left where nobody tells of one any more', async () => {
    const { code } = follow(async () => {
      now += 16_000;
      return null;
    });

    expect(await code).toBe(130);
  });

  it('end at once where a part of the program is gone that asks for them', async () => {
    const gone = Object.assign(new Error('it was built anew'), { code: BUILT_ANEW });
    const { code, err } = follow(async () => {
      now += 16_000;
      throw gone;
    });

    await expect(code).rejects.toBe(gone);
    expect(err).toEqual([]);
  });

  it('go on over a server that comes back, however often', async () => {
    const { code, err } = follow(answers([null, aLanding(), null, aLanding(), null, aLanding(MERGED)]));

    expect(await code).toBe(0);
    expect(err).toEqual([]);
  });

  it('are left where the person stops while a chain is to be taken', async () => {
    const terminal = openTerminal();
    const { sluice } = aServer(answers([aLanding(READY)]));
    const send: Sluice['send'] = async (_workflowId, _message, stop) => {
      terminal.stopping.abort('SIGINT');
      stop?.throwIfAborted();
      throw new Error('it goes on');
    };
    const runs = [{ runId: 'shop-1', workflowId: 'shop-1', repo: '/nonexistent' }];
    const code = followRuns(terminal.context, { ...sluice, send }, { runs, updateCheckout: true, isLeft: false });

    expect(await code).toBe(130);
    expect(terminal.err).toEqual([
      'main was not updated: you stopped before its merge queue answered',
      'Detached; what is queued lands without you. See: sluice landings list',
    ]);
  });

  it('are not waited for where their merge queue did not say what is ready', async () => {
    const { code, err } = follow(answers([aLanding(READY)]), {
      updateCheckout: true,
      queues: [{ workflowId: QUEUE, view: null }],
    });

    expect(await code).toBe(3);
    expect(err.join('\n')).toContain('main was not updated: its merge queue did not say what is ready');
  });
});

describe('the landing of a run that ended', () => {
  const RUN = { runId: 'shop-1', workflowId: 'shop-1', repo: '/nonexistent' };
  const SERVER: Pick<Sluice, 'describe'> = {
    describe: async () => ({ retrying: null }) as Awaited<ReturnType<Sluice['describe']>>,
  };

  it('is followed where its worker does not answer at first', async () => {
    let asked = 0;
    const { sluice } = aServer(async () => {
      asked += 1;
      if (asked === 1) throw new Error('4 DEADLINE_EXCEEDED');
      return aLanding(MERGED);
    });
    const { context, out } = openTerminal();

    expect(await followBegun(context, { ...sluice, ...SERVER }, RUN)).toBe(0);
    expect(out).toEqual(['shop-1 has landed on main: c1']);
  });

  it('is not waited for where nobody asked for it', async () => {
    const { sluice } = aServer(async () => null);

    expect(await followBegun(openTerminal().context, sluice, RUN)).toBeNull();
  });
});

describe('a chain that is to be taken', () => {
  const take = async (queues: Queues) => {
    const { context, err } = openTerminal();
    const { sluice, sent } = aServer(async () => null, queues);
    const chain = { workflowId: QUEUE, branch: 'main', repo: '/nonexistent', by: 'me' };
    return { hasIt: await takeChain(context, sluice, chain), err, sent };
  };

  const view: Partial<MergeQueueView> = { branch: 'main', chain: null };

  it('is taken where its queue says that nothing is ready any more', async () => {
    const taken = await take([{ workflowId: QUEUE, view: view as MergeQueueView }]);

    expect(taken).toEqual({ hasIt: true, err: [], sent: ['take', 'look'] });
  });

  it.each<[string, Queues]>([
    ['does not answer', [{ workflowId: QUEUE, view: null }]],
    ['is in no list', []],
  ])('is not taken where its queue %s', async (_what, queues) => {
    const { hasIt, err, sent } = await take(queues);

    expect(hasIt).toBe(false);
    expect(err).toEqual(['main was not updated: its merge queue did not say what is ready']);
    expect(sent).toEqual(['take', 'look']);
  });
});

describe('a landing that is paused by a name of no merge queue', () => {
  const pause = (list: Sluice['list']) => {
    const { context } = openTerminal({ env: {}, interactive: false });
    const part: Pick<Sluice, 'mergeQueues' | 'list' | 'send' | typeof Symbol.asyncDispose> = {
      mergeQueues: async () => [],
      list,
      send: async () => ({ kind: 'accepted', answer: { message: 'paused', status: 'open', changed: true } }),
      [Symbol.asyncDispose]: async () => {},
    };
    return steer(context, { name: 'pause', asked: 'fix' }, async () => part as Sluice);
  };

  it('is that of the only run that can be meant', async () => {
    expect(await pause(async () => [aListedRun('fix-it'), aListedRun('other')])).toBe(0);
  });

  it.each<[string, Sluice['list'], string]>([
    ['that no run has', async () => [], 'there is no such merge queue, and no such run'],
    ['that two runs have', async () => [aListedRun('fix-a'), aListedRun('fix-b')], '2 runs have "fix"'],
    ['while the server does not answer', () => Promise.reject(new Error('14 UNAVAILABLE')), '14 UNAVAILABLE'],
  ])('is none %s, which is told', async (_what, list, told) => {
    await expect(pause(list)).rejects.toThrow(told);
  });
});
