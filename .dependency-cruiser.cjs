/**
 * The arrow rule: protocol ← config ← activities ← worker; protocol ← workflows ← worker; protocol, config ← client.
 * wire/ is how values cross to the server; worker and client share it.
 */
const { readdirSync } = require('node:fs');
const { join } = require('node:path');

const arrow = ({ name, from, to, comment }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

/**
 * Rooms of one folder, the lowest first: none imports one that stands after it. Errors: where these are not the rooms that the folder has, since nothing
 * would hold one that is not listed.
 */
const layers = (folder, rooms, comment) => {
  const listed = rooms.flatMap((room) => room.split('|')).sort();
  const found = roomsOf(folder);
  if (listed.join() !== found.join()) throw new Error(`the rooms of ${folder}/ are ${found}; listed are ${listed}`);
  return rooms.slice(0, -1).map((room, place) =>
    arrow({
      name: `${folder}: ${room} is below`,
      from: `^${folder}/(${room})/`,
      to: `^${folder}/(${rooms.slice(place + 1).join('|')})/`,
      comment,
    }),
  );
};

const roomsOf = (folder) =>
  readdirSync(join(__dirname, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** Of the workflows that a worker serves. */
const SERVED = 'run|batch|quota|budget|merge-queue|landing|backlog|item|aside';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'a cycle has no part that can be read first',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    arrow({
      name: 'protocol-is-pure',
      from: '^protocol/',
      to: '^(config|wire|workflows|activities|worker|client|node_modules)/',
      comment: 'the contract imports nothing outside itself',
    }),
    arrow({
      name: 'config-is-below',
      from: '^config/',
      to: '^(workflows|activities|worker|client)/',
      comment: 'a policy is made before anything acts on it',
    }),
    arrow({
      name: 'workflows-are-deterministic',
      from: '^workflows/',
      to: '^(config|wire|worker|client)/',
      comment: 'what workflows import is replayed in a sandbox',
    }),
    {
      name: 'workflows-use-the-type-barrel',
      comment:
        'one list of activities is the contract between the two; oxlint holds it to type imports, which swc does not tell apart',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', pathNot: '^activities/index\\.ts$' },
    },
    {
      name: 'workflows-know-no-other',
      comment: 'one starts or tells another by its name, and each is served alone',
      severity: 'error',
      from: { path: `^workflows/(${SERVED})/` },
      to: { path: `^workflows/(${SERVED})/`, pathNot: '^workflows/$1/' },
    },
    arrow({
      name: 'activities-are-hosts-only',
      from: '^activities/',
      to: '^(workflows|worker|client)/',
      comment: 'a host never holds run state and never starts runs',
    }),
    ...layers(
      'protocol',
      ['text', 'admission', 'run', 'messages', 'actors', 'views'],
      'a plan is text before a run works by it, a run is told of in messages, long-lived workflows tell of runs, and views are made of all',
    ),
    ...layers(
      'config',
      ['system', 'agents', 'keys', 'layers', 'home', 'resolve|init', 'import'],
      'a key is known before a file is read, a file before a policy is made',
    ),
    ...layers(
      'workflows',
      ['sdk-guards|journal', 'inbox', 'actor|gates', 'turns', SERVED],
      'parts serve whoever owns them, a run or not',
    ),
    ...layers(
      'activities',
      [
        'agent|git|journal|process',
        'sandbox',
        'unit',
        'policy',
        'steps',
        'checks',
        'turn',
        'opening',
        'ask|admission|closing|landing|notify',
        'forge',
      ],
      'a command is run and sealed without knowing what it is for, an activity is retried without being known',
    ),
    ...layers(
      'activities/git',
      ['start|runner', 'refs', 'worktree', 'inspect', 'run', 'merge', 'forge'],
      'one git process, what it reads, what it makes, what a run asks of it',
    ),
    ...layers(
      'activities/agent',
      ['environment|answer', 'prompts', 'outcome', 'events', 'adapters', 'trial|scripted'],
      'what is asked, how an answer is read and how an end is judged is the same for every adapter',
    ),
    ...layers(
      'worker/local-engine',
      ['state', 'children', 'server-binary', 'control'],
      'what lies in the home, then what runs, then whoever asks for it',
    ),
    ...layers(
      'client',
      ['calls', 'views', 'look', 'http', 'cli'],
      'what is asked, how it is told, what a folder adds, and who shows it',
    ),
    ...layers(
      'client/cli',
      ['terminal|complete', 'server', 'find', 'gates', 'start|watch', 'backlog|landing', 'commands|demo|program'],
      'commands are made of parts, which know no command',
    ),
    ...layers(
      'page',
      ['state', 'parts', 'views', 'report'],
      'what is known, what shows a piece of it, a whole view, and a file of views',
    ),
    {
      name: 'forge-is-loaded-late',
      comment: 'a host without a forge loads nothing of one: its worker imports it when the first activity comes',
      severity: 'error',
      from: { path: '^(protocol|config|wire|workflows|activities|worker|client)/', pathNot: '^activities/forge/' },
      to: { path: '^activities/forge/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    arrow({
      name: 'page-is-for-browsers',
      from: '^page/',
      to: '^(config|wire|workflows|activities|worker|client/(calls|look|cli))/',
      comment:
        'a browser has none of it; of what the server tells, the page knows the types alone, to which oxlint holds it',
    }),
    arrow({
      name: 'wire-is-below',
      from: '^wire/',
      to: '^(config|workflows|activities|worker|client)/',
      comment: 'both ends of the wire use it',
    }),
    {
      name: 'worker-does-not-ask',
      comment: 'the composition root serves; the client asks. Its calls are made where the SDK is',
      severity: 'error',
      from: { path: '^worker/', pathNot: '^worker/serve-command-line\\.ts$' },
      to: { path: '^client/' },
    },
    arrow({
      name: 'client-goes-by-messages',
      from: '^client/',
      to: '^(workflows|activities)/',
      comment: 'a client on another machine has neither',
    }),
    {
      name: 'client-knows-no-worker',
      comment: 'only the commands that bring the local engine up and down know that it exists',
      severity: 'error',
      from: { path: '^client/', pathNot: '^client/cli/' },
      to: { path: '^worker/' },
    },
    {
      name: 'cli-knows-the-local-engine-only',
      comment: 'the rest of the worker loads the SDK and side effects',
      severity: 'error',
      from: { path: '^client/cli/' },
      to: { path: '^worker/', pathNot: '^worker/local-engine/' },
    },
    arrow({
      name: 'product-knows-no-tests',
      from: '^(protocol|config|wire|workflows|activities|worker|client)/',
      to: '^(test|bench|tools)/',
      comment: 'tests come and go',
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.d.ts'] },
  },
};
