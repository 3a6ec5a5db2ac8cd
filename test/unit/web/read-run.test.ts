/** What a run's page shows of its gates and of its landing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readRun } from '../../../client/http/read-run.js';
import type { Sluice } from '../../../client/sluice.js';
import { aGate } from '../../support/gate-builder.js';
import { tempFolder } from '../../support/temp-folder.js';
import { aFoundRun } from './a-found-run.js';

const runDir = tempFolder();

/** A landing is asked for; nothing else of a run answers. */
const asked = (landing: Sluice['landing']): Sluice => {
  const silent = () => Promise.reject(new Error('nobody answers'));
  return { details: silent, status: silent, landing } as unknown as Sluice;
};

describe('the page of a run', () => {
  it('has the open gate, and the newest of the others, where all are more than it shows', async () => {
    const paths = Array.from({ length: 200 }, (_, n) => `src/${'long-name-'.repeat(12)}${n}.ts`);
    const gates = Array.from({ length: 40 }, (_, n) =>
      aGate({ id: `gate-${n}`, status: n === 20 ? 'pending' : 'approved', files: paths }),
    );
    writeFileSync(join(runDir, 'approvals.json'), JSON.stringify(gates));

    const page = await readRun(aFoundRun('r', { runDir }), null);

    expect(page.gates.length).toBeLessThan(gates.length);
    expect(page.gates.slice(0, 3).map(({ id }) => id)).toEqual(['gate-20', 'gate-39', 'gate-38']);
    expect(page.leftOut.join()).toContain('gates');
  });

  it('says whether its landing was heard, so that one that did not answer is asked again', async () => {
    const run = aFoundRun('r');
    const none = await readRun(
      run,
      asked(async () => null),
    );
    const away = await readRun(
      run,
      asked(() => Promise.reject(new Error('no worker'))),
    );

    expect([none.landing, none.isLandingHeard]).toEqual([null, true]);
    expect([away.landing, away.isLandingHeard]).toEqual([null, false]);
    expect((await readRun(run, null)).isLandingHeard).toBe(false);
  });
});
