/** What a command of a run sees and reaches from inside its sandbox. */
import type { Mutant } from '../mutant.js';

const MOUNTS = 'test/unit/sandbox/mounts.test.ts';

const CHOOSE = 'test/unit/sandbox/choose-sandbox.test.ts';

const PROXY = 'test/unit/sandbox/connect-proxy.test.ts';

const HOSTS = 'test/unit/sandbox/allow-list.test.ts';

export const SANDBOX_MUTANTS: readonly Mutant[] = [
  {
    name: 'what must not be seen stays where a folder around it is shown',
    area: 'sandbox',
    file: 'activities/sandbox/plan-mounts.ts',
    find: "...needs.hidden.filter((path) => isShown(path, shown)).map((to): Mount => ({ kind: 'empty', to })),",
    replace: '',
    test: {
      file: MOUNTS,
      title: 'is laid in an order in which what hides lies over what shows, and what it needs over what hides',
    },
  },
  {
    name: 'what is shown of HOME can be written',
    area: 'sandbox',
    file: 'activities/sandbox/plan-mounts.ts',
    find: '...needs.homeReadable.map(readAt),',
    replace: "...needs.homeReadable.map(({ to }): Mount => ({ kind: 'write', from: to, to })),",
    test: {
      file: MOUNTS,
      title: 'can be written in the checkout and the folders of HOME that were named, nowhere else',
    },
  },
  {
    name: 'a symlink below HOME is followed',
    area: 'sandbox',
    file: 'activities/sandbox/home-place.ts',
    find: 'const stat = lstatSync(path, { throwIfNoEntry: false });',
    replace: 'const stat = statSync(path, { throwIfNoEntry: false });',
    test: {
      file: MOUNTS,
      title: 'is refused where it is a symlink, leads over one, or would show the sluice home: %s',
    },
  },
  {
    name: 'a login folder may hold HOME',
    area: 'sandbox',
    file: 'activities/sandbox/home-place.ts',
    find: 'touches(one, hidden) || homes.some((each) => isBelow(each, one));',
    replace: 'touches(one, hidden);',
    test: { file: MOUNTS, title: 'is refused where it is %s' },
  },
  {
    name: 'a login elsewhere is looked for below HOME',
    area: 'sandbox',
    file: 'activities/sandbox/known-needs.ts',
    find: 'movedPlace(name, needs?.moves ?? [], env) ??',
    replace: 'movedPlace(name, needs?.moves ?? [], {}) ??',
    test: { file: MOUNTS, title: 'of %s: %s with %j is where the CLI looks for it' },
  },
  {
    name: 'any argument of a command names a file that is shown',
    area: 'sandbox',
    file: 'activities/sandbox/enter-sandbox.ts',
    find: 'const programs = [argv[0],',
    replace: 'const programs = [...argv,',
    test: {
      file: 'test/unit/security/sandbox.test.ts',
      title: 'sees no file that an argument names which is not of its config',
    },
  },
  {
    name: 'a sandbox shares the network of its host',
    area: 'sandbox',
    file: 'activities/sandbox/bwrap-arguments.ts',
    find: "...(spec.network === 'on' ? [] : [NO_NETWORK]),",
    replace: "...(spec.network !== 'off' ? [] : [NO_NETWORK]),",
    test: {
      file: MOUNTS,
      title:
        'are namespaces of its own for users, processes, IPC, names and the network, no rights, and an end with its parent',
    },
  },
  {
    name: 'a name of the list may lead to this machine',
    area: 'sandbox',
    file: 'activities/sandbox/connect-proxy.ts',
    find: "addresses = found.filter((address) => reachOf(address) === 'world' ||",
    replace: "addresses = found.filter((address) => address !== '' ||",
    test: { file: PROXY, title: 'refuses a name of its list that leads to %s' },
  },
  {
    name: 'a host that ends like one of the list is let through',
    area: 'sandbox',
    file: 'activities/sandbox/allow-list.ts',
    find: "if (host.kind !== 'below') return host.name === target.name;",
    replace: "if (host.kind !== 'below') return target.name.endsWith(host.name);",
    test: { file: HOSTS, title: 'refuses %s: %j' },
  },
  {
    name: 'any port of a host of the list is open',
    area: 'sandbox',
    file: 'activities/sandbox/allow-list.ts',
    find: 'if (host.port !== target.port) return false;',
    replace: '',
    test: { file: HOSTS, title: 'refuses %s: %j' },
  },
  {
    name: 'a run goes on outside where a sandbox is required',
    area: 'sandbox',
    file: 'activities/sandbox/choose-sandbox.ts',
    find: "if (use !== 'required') return",
    replace: "if (use !== 'off') return",
    test: { file: CHOOSE, title: 'refuses the run where %s, with the reason and what mends it' },
  },
  {
    name: 'an agent that nobody knows runs inside with a guess',
    area: 'sandbox',
    file: 'activities/sandbox/choose-sandbox.ts',
    find: "if (silent !== null && sandbox.use === 'auto') {",
    replace: "if (silent !== null && sandbox.use === 'required') {",
    test: { file: CHOOSE, title: 'leaves a run as it was whose agent is any program (%s), and is silent about it' },
  },
];
