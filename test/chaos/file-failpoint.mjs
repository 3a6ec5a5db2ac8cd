/**
 * The failpoint of a doomed process. `<home>/failpoint.json` is its order, or a list of them: `name`, which call (`nth`, from 1), in which activity
 * (`where`, optional), and the `fault`; by default the process kills itself. Before that a line goes to `<home>/fired`, the order's `id` or name, so that a test
 * can tell that the point was reached; an order that has its line is over. One that only says `record` notes every point in `<home>/failpoints.log` instead.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STOP_SECONDS = 5;

/**
 * `role`: which process this is, `worker`, `guard`, `engine` or a `person`'s own git. `where` answers the activity under way, or null; `of`, the workflow that asked for it, each of which is
 * counted by itself.
 */
export function fileFailpoint(home, role, where = () => null, of = () => null) {
  const fired = join(home, 'fired');
  const calls = new Map();
  const obey = (order, at) => {
    if (order.where !== undefined && order.where !== at) return;
    const id = order.id ?? order.name;
    const key = order.where === undefined ? id : `${id} ${of()}`;
    calls.set(key, (calls.get(key) ?? 0) + 1);
    if (calls.get(key) !== order.nth || linesOf(fired).includes(id)) return;
    appendFileSync(fired, `${id}\n`);
    strike(order.fault ?? role, home, role);
  };
  return (name) => {
    // Asked at every point: whoever answers counts the activities.
    const at = where();
    const orders = [readJson(join(home, 'failpoint.json')) ?? []].flat();
    if (orders[0]?.record === true)
      appendFileSync(join(home, 'failpoints.log'), `${JSON.stringify({ role, name, where: at, of: of() })}\n`);
    for (const order of orders) if (order.name === name) obey(order, at);
  };
}

function strike(fault, home, role) {
  if (fault === 'stop') {
    const wake = spawn('/bin/sh', ['-c', `sleep ${STOP_SECONDS}; kill -CONT ${process.pid}`], {
      detached: true,
      stdio: 'ignore',
      env: {},
    });
    wake.unref();
    process.kill(process.pid, 'SIGSTOP');
    return;
  }
  // The engine first: it would start again what dies before it. This process last.
  const doomed = fault === 'all' ? ['engine', 'server', 'guard', 'worker', 'person'] : [fault];
  const others = doomed.filter((one) => one !== role).map((one) => pidOf(one, home));
  for (const pid of others) if (pid !== null) kill(pid);
  if (doomed.includes(role)) kill(process.pid);
}

function pidOf(role, home) {
  if (role === 'guard') return guardPid(home);
  return readJson(join(home, 'engine.json'))?.[role]?.pid ?? null;
}

/** Of the guard that started last. */
function guardPid(home) {
  return (
    linesOf(join(home, 'guard.log'))
      .map((line) => JSON.parse(line))
      .findLast(({ sentence }) => sentence === 'started')?.guard ?? null
  );
}

function linesOf(path) {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}
