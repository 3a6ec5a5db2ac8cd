import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FailpointName } from '../../../protocol/failpoints.js';
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import { armFailpoint, WORKER_WITH_FAILPOINT } from '../../support/failpoint-home.js';
import { startsOf } from '../../support/run-traces.js';
import { openTestHost, type TestHost, type TestRun, type TestWorker } from '../../support/test-host.js';
import { fixtureWith, PLAIN_VALIDATION } from '../../support/test-repository.js';
import { until } from '../../support/until.js';

const TURNS = ['planning', 'architecting', 'executing', 'reviewing', 'verifying'];

const LOOK_EVERY_MS = 4;

/** Counts what each kind of write asks the system to flush. */
const FLUSHES = join('test', 'unit', 'process', 'flushes.mjs');

/** Which file each status announces. Source: V-90 to V-96. */
const ANNOUNCES: Readonly<Record<string, string>> = {
  planned: 'plan.md',
  architected: 'architecture.md',
  validating: 'execution.log',
  reviewing: 'validation.json',
  verifying: 'review.md',
  merge_ready: 'verification.md',
};

describe('the run directory', () => {
  let host: TestHost;
  let worker: TestWorker;

  beforeAll(async () => {
    host = await openTestHost();
    worker = await host.startWorker();
  });

  afterAll(() => host.close());

  /** A worker that dies at the first call of the failpoint; which one is read from the home when it starts. */
  const startDoomed = (name: FailpointName) => {
    rmSync(join(host.home, 'fired'), { force: true });
    armFailpoint(host.home, { name, nth: 1 });
    return host.startWorker({ main: WORKER_WITH_FAILPOINT });
  };

  it('V-07: may be edited in mid-run: the run goes on by its own state and writes the file again', async () => {
    const architecting = { text: 'Architecture: one file.', waitFor: 'go' };
    const repository = await host.repository({ fixture: fixtureWith({ architecting }) });
    const run = await host.startRun(repository);
    await until(() => startsOf(repository, 'architecting') === 1);
    const state: object = JSON.parse(run.read('state.json'));

    writeFileSync(
      join(run.runDir, 'state.json'),
      JSON.stringify({ ...state, status: 'aborted', outcome: 'aborted', stage: 'verifying', headSha: null }),
    );
    writeFileSync(join(run.runDir, 'plan.md'), 'Plan: do something else.\n');
    const during = await run.view();
    repository.release('go');
    const { outcome } = await run.result();

    expect([during.status, during.stage]).toEqual(['architecting', 'architecting']);
    expect(outcome).toBe('merge_ready');
    expect(run.statuses()).not.toContain('aborted');
    expect(JSON.parse(run.read('state.json'))).toEqual(await run.view());
    expect(run.read(`turns/${seqOf(run, 'executing')}-executing/prompt.md`)).not.toContain('do something else');
  });

  it('V-97: lies below project.runsDir where that is set, with the same names', async () => {
    const [plain, moved] = await Promise.all(
      ['', 'project:\n  runsDir: .vibestrate/runs\n'].map(async (config) => {
        const repository = await host.repository({ config: `${PLAIN_VALIDATION}${config}` });
        const run = await host.startRun(repository);
        const report = (await run.result()).report ?? '';
        const folder = dirname(report)
          .replace(`/${run.runId}`, '')
          .slice(repository.path.length + 1);
        return { folder, names: readdirSync(dirname(report)).sort(), status: repository.git('status', '--porcelain') };
      }),
    );

    expect([plain?.folder, moved?.folder]).toEqual(['.sluice/runs', '.vibestrate/runs']);
    expect(moved?.names).toEqual(plain?.names);
    expect(moved?.names).toEqual(
      expect.arrayContaining(['events.jsonl', 'plan.md', 'report.md', 'state.json', 'turns']),
    );
    expect([plain?.status, moved?.status]).toEqual(['', '']);
  });

  it('V-98, V-99: only ever extends events.jsonl, and announces nothing before its file is there', async () => {
    const repository = await host.repository();
    const run = await host.startRun(repository);
    const watched = watchRun(run);

    await run.result();
    const { reads, unannounced } = await watched.stop();

    expect(reads.length).toBeGreaterThan(6);
    expect(reads.filter((text, n) => !text.startsWith(reads[n - 1] ?? ''))).toEqual([]);
    expect(reads.filter((text) => text !== '' && !text.endsWith('\n'))).toEqual([]);
    expect(reads.at(-1)).toBe(run.read('events.jsonl'));
    expect(unannounced).toEqual([]);
    expect(run.statuses()).toEqual(expect.arrayContaining(Object.keys(ANNOUNCES)));
  });

  it('V-98, V-99: keeps both through kill -9 between an artifact and its status', async () => {
    const repository = await host.repository({ config: `${PLAIN_VALIDATION}limits:\n  heartbeat: 1s\n` });
    await worker.kill();
    const journals: string[] = [];
    worker = await startDoomed('turn.after-projection');
    const run = await host.startRun(repository);
    const watched = watchRun(run);

    for (const next of ['journal.after-append', 'validate.before-record', null] as const) {
      await until(() => worker.process.signalCode === 'SIGKILL');
      journals.push(run.read('events.jsonl'));
      worker = await (next === null ? host.startWorker() : startDoomed(next));
    }
    const { outcome } = await run.result();
    const { reads, unannounced } = await watched.stop();

    expect(outcome).toBe('merge_ready');
    expect(journals.filter((text) => tornOrDoubled(text).length > 0)).toEqual([]);
    expect(tornOrDoubled(run.read('events.jsonl'))).toEqual([]);
    expect(reads.filter((text, n) => !text.startsWith(reads[n - 1] ?? ''))).toEqual([]);
    expect(unannounced).toEqual([]);
    expect(TURNS.map((stage) => startsOf(repository, stage))).toEqual(TURNS.map(() => 1));
  }, 300_000);

  it('V-98: cuts a torn last line, as a power cut leaves it, and goes on behind the whole ones', async () => {
    const reviewing = { text: 'Right.', decision: 'APPROVED', waitFor: 'go' };
    const repository = await host.repository({
      fixture: fixtureWith({ reviewing }),
      config: `${PLAIN_VALIDATION}limits:\n  heartbeat: 1s\n`,
    });
    const run = await host.startRun(repository);
    await until(() => startsOf(repository, 'reviewing') === 1);
    await worker.kill();
    const whole = run.read('events.jsonl');

    appendFileSync(join(run.runDir, 'events.jsonl'), `{"seq":${run.events().length + 1},"timest`);
    worker = await host.startWorker();
    repository.release('go');
    const { outcome } = await run.result();

    expect(outcome).toBe('merge_ready');
    expect(run.read('events.jsonl').startsWith(whole)).toBe(true);
    expect(tornOrDoubled(run.read('events.jsonl'))).toEqual([]);
    expect(existsSync(join(run.runDir, 'events.1.jsonl'))).toBe(false);
  }, 300_000);

  it('V-99: is flushed with the artifacts where the host says power, and by nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-flushes-'));
    const printed = execFileSync(process.execPath, [FLUSHES, folder], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });

    // File and folder of each.
    expect(JSON.parse(printed)).toMatchObject({
      process: { artifact: 0, projected: 0 },
      power: { artifact: 2, projected: 2 },
    });
  });
});

interface Watched {
  /** Every different text that events.jsonl had, in order, and each status that was read before its file existed. */
  stop(): Promise<{ reads: readonly string[]; unannounced: readonly string[] }>;
}

/** Looks every few milliseconds: journal first, files afterwards, so that a file written in between is no excuse. */
function watchRun(run: TestRun): Watched {
  const reads: string[] = [];
  const unannounced: string[] = [];
  const look = () => {
    if (!existsSync(join(run.runDir, 'events.jsonl'))) return;
    const text = run.read('events.jsonl');
    if (text === reads.at(-1)) return;
    reads.push(text);
    for (const [status, file] of Object.entries(ANNOUNCES)) {
      if (text.includes(`"to":"${status}"`) && !existsSync(join(run.runDir, file)))
        unannounced.push(`${status} without ${file}`);
    }
  };
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      look();
      await delay(LOOK_EVERY_MS);
    }
    look();
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return { reads, unannounced };
    },
  };
}

/** Numbers of lines that are no JSON object or not numbered one behind the other. */
function tornOrDoubled(text: string): number[] {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined);
  return lines.flatMap((line, index) => (seqIn(line) === index + 1 ? [] : [index + 1]));
}

function seqIn(line: string): unknown {
  try {
    return (JSON.parse(line) as JournalEvent).seq;
  } catch {
    return null;
  }
}

function seqOf(run: TestRun, stage: string): number {
  return Number(run.events().find(({ type, data }) => type === 'turn.started' && data['stage'] === stage)?.data['seq']);
}
