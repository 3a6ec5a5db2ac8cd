/** The page and the report where a disk is full or read-only: they show what is there, and leave nothing half. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from '@jest/globals';
import { addRepository } from '../../config/home/host-list.js';
import { openCliWorld } from '../support/cli-world.js';
import { itWhere } from '../support/it-where.js';
import { plantRun } from '../support/planted-runs.js';
import { serveWebOf } from '../support/served-web.js';
import { canMount, readOnlyFolder, smallDisk } from '../support/small-disk.js';
import { makeRepository } from '../support/test-repository.js';

const mountTest = itWhere(canMount(), 'no right to mount a tmpfs');
const LIMIT_MS = 300_000;

const world = openCliWorld();

afterAll(() => world.close());

const folder = join(world.folder, 'of-disk');
mkdirSync(folder);
mkdirSync(world.home, { recursive: true, mode: 0o700 });
const repository = makeRepository(folder);
plantRun(repository.path, 'on-disk', { title: 'Still there' });

describe('sluice web', () => {
  mountTest(
    'of a home that is read-only serves what the runs wrote, and says what it cannot keep',
    async () => {
      await addRepository(world.home, repository.path);
      const makeWritable = readOnlyFolder(world.home);
      try {
        const web = await serveWebOf(world, world.folder);
        const list = (await web.ask('/api/runs')).json;
        const followed = await web.follow(['list'], (events) => events.some(({ topic }) => topic === 'list'));
        await web.stop();

        expect(list).toMatchObject({ source: { kind: 'files' }, rows: [{ runId: 'on-disk', title: 'Still there' }] });
        expect(followed[0]).toMatchObject({ topic: 'list', rows: [{ runId: 'on-disk' }] });
        expect((await web.process.done).stderr).toContain('The next sluice web will be at another address');
      } finally {
        makeWritable();
      }
    },
    LIMIT_MS,
  );
});

describe('sluice report', () => {
  mountTest(
    'onto a disk without room is refused, and leaves the report of before and nothing else',
    async () => {
      const place = join(world.folder, 'reports');
      mkdirSync(place);
      const disk = smallDisk(place, { size: '1m' });
      const file = join(place, 'report.html');
      const report = () => world.sluice(['report', 'on-disk', '--out', file], { cwd: repository.path });
      try {
        const first = await report();
        const before = readFileSync(file, 'utf8');
        disk.fillBut(0);
        const second = await report();
        disk.free();

        expect([first.code, second.code]).toEqual([0, 1]);
        expect(second.stderr).toMatch(/cannot be written: .*no space left.*\n.*\n.*Nothing was written/is);
        expect(readFileSync(file, 'utf8')).toBe(before);
        expect(readdirSync(place)).toEqual(['report.html']);
      } finally {
        disk.unmount();
      }
    },
    LIMIT_MS,
  );
});
