/**
 * Counts flushes: prints how often each kind of write asks the system to flush a file or a folder. Run in a process of its own,
 * since the functions of `node:fs` are replaced before the product is loaded.
 */
import fs, { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

const folder = process.argv[2];
let flushes = 0;

const { fsync, fsyncSync } = fs;
fs.fsyncSync = (fd) => {
  flushes += 1;
  fsyncSync(fd);
};
fs.fsync = (fd, done) => {
  flushes += 1;
  fsync(fd, done);
};
const handle = await open(folder, 'r');
const { sync } = Object.getPrototypeOf(handle);
Object.getPrototypeOf(handle).sync = function counted() {
  flushes += 1;
  return sync.call(this);
};
await handle.close();
syncBuiltinESMExports();

const { writeExit, writeMark } = await import('../../../dist/activities/process/marks.js');
const { appendEvents } = await import('../../../dist/activities/journal/events-file.js');
const { artifactsOf, projectionOf } = await import('../../../dist/activities/unit/run-projection.js');
const { writeFileAtomic } = await import('../../../dist/activities/journal/write-file.js');

const event = (seq) => ({ seq, timestamp: '2026-11-21T10:00:00.000Z', type: 'run.created', message: 'x', data: {} });
const append = (seq, options) =>
  appendEvents(join(folder, 'events.jsonl'), { events: [event(seq)], lastSeq: seq }, options);

/** As the activities of a run get both, by what the host is told. */
function runIn(durability) {
  const root = join(folder, durability);
  const stateDir = join(root, 'state');
  mkdirSync(stateDir, { recursive: true });
  const policy = { agents: {}, runsDir: '.sluice/runs', limits: { outputBytes: 1_000 } };
  const run = { stateDir, record: { runId: 'run-1', repository: { root }, policy } };
  const deps = { durability, home: { root }, warn: () => {} };
  return { artifacts: artifactsOf(deps, run), projection: projectionOf(deps, run) };
}

async function counted(work) {
  flushes = 0;
  await work();
  return flushes;
}

const found = {};
for (const durability of ['process', 'power']) {
  const options = { root: folder, fsync: durability === 'power', failpoint: () => {} };
  const seq = durability === 'process' ? 1 : 2;
  const { artifacts, projection } = runIn(durability);
  await projection.open();
  found[durability] = {
    artifact: await counted(() => artifacts.put('text', 'text/plain')),
    projected: await counted(() => projection.page('page.md', 'text')),
    mark: await counted(() => writeMark(join(folder, 'mark'), 'x', durability)),
    exit: await counted(() => writeExit(folder, { token: 'x' }, durability)),
    append: await counted(() => append(seq, options)),
    file: await counted(() => writeFileAtomic(join(folder, 'state.json'), '{}', options)),
  };
}
console.log(JSON.stringify(found));
