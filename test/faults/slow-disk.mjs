/**
 * Loaded with `--import` it makes every disk slow that this process writes to: each write, rename and new folder takes 20 ms longer, and a file named
 * in `SLOW_DISK_STALL` (a comma-separated list) takes SLOW_DISK_STALL_MS once each. The process stands still meanwhile, as it does on a real disk.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const SLOW_MS = 20;
const STALL_MS = Number(process.env['SLOW_DISK_STALL_MS'] ?? 0);
const stalls = new Set((process.env['SLOW_DISK_STALL'] ?? '').split(',').filter((name) => name !== ''));
const clock = new Int32Array(new SharedArrayBuffer(4));

function standStill(path) {
  const name = [...stalls].find((stall) => String(path).endsWith(stall));
  if (name !== undefined) stalls.delete(name);
  Atomics.wait(clock, 0, 0, name === undefined ? SLOW_MS : STALL_MS);
}

/** `at`: which argument names the file that the call is about. */
function slow(module, name, at = 0) {
  const original = module[name];
  module[name] = function slowly(...args) {
    standStill(args[at]);
    return original.apply(this, args);
  };
}

for (const name of ['writeFileSync', 'writeSync', 'mkdirSync', 'appendFileSync', 'rmSync', 'linkSync', 'fsyncSync'])
  slow(fs, name);
slow(fs, 'renameSync', 1);
for (const name of ['writeFile', 'mkdir', 'rm', 'appendFile', 'copyFile', 'open']) slow(fs.promises, name);
slow(fs.promises, 'rename', 1);
syncBuiltinESMExports();
