/** Whose a port is: two homes that start in the same moment find the same one free, and each would take what answers there for its own server. Linux alone tells. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Of /proc/net/tcp. Source: the kernel's Documentation/networking/proc_net_tcp.rst and include/net/tcp_states.h. */
const LISTENING = '0A';

/** Whether the process, or one that it started, listens there on an IPv4 address. True where the system does not tell. */
export function listensAt(pid: number, port: number): boolean {
  const sockets = listenersOf(port);
  return sockets === null || withDescendants(pid).some((one) => socketsOf(one).some((socket) => sockets.has(socket)));
}

/** As links of descriptors name them. */
function listenersOf(port: number): ReadonlySet<string> | null {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  try {
    const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
    const fields = rows.map((row) => row.trim().split(/\s+/));
    return new Set(
      fields.flatMap(([, local, , state, , , , , , inode]) =>
        local?.endsWith(ending) === true && state === LISTENING ? [`socket:[${inode}]`] : [],
      ),
    );
  } catch {
    return null;
  }
}

function withDescendants(pid: number): readonly number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const tree = [pid];
  for (const one of tree) for (const [child, parent] of parents) if (parent === one) tree.push(child);
  return tree;
}

/** Null: it is gone. */
function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name in brackets, which may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

/** None of one that is gone, or somebody else's. */
function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  } catch {
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
