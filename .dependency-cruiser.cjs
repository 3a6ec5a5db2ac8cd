/**
 * The arrow rule: protocol ← config ← activities ← worker; protocol ← workflows ← worker; protocol, config ← client.
 * wire/ is how values cross to the server; worker and client share it.
 */
const arrow = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: to },
});

/** Rooms of one folder, the lowest first: none imports one that stands after it. */
const layers = (folder, rooms, comment) =>
  rooms.slice(0, -1).map((room, place) => {
    const above = rooms.slice(place + 1).join('|');
    return arrow(`${folder}: ${room} is below`, `^${folder}/(${room})/`, `^${folder}/(${above})/`, comment);
  });

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'a cycle has no part that can be read first',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    arrow(
      'protocol-is-pure',
      '^protocol/',
      '^(config|wire|workflows|activities|worker|client|node_modules)/',
      'the contract imports nothing outside itself',
    ),
    arrow(
      'config-is-below',
      '^config/',
      '^(workflows|activities|worker|client)/',
      'a policy is made before anything acts on it',
    ),
    arrow(
      'workflows-are-deterministic',
      '^workflows/',
      '^(config|wire|worker|client)/',
      'what workflows import is replayed in a sandbox',
    ),
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
      from: { path: '^workflows/(run|batch|quota|budget|merge-queue|aside)/' },
      to: { path: '^workflows/(run|batch|quota|budget|merge-queue|aside)/', pathNot: '^workflows/$1/' },
    },
    arrow(
      'activities-are-hosts-only',
      '^activities/',
      '^(workflows|worker|client)/',
      'a host never holds run state and never starts runs',
    ),
    ...layers(
      'protocol',
      ['text', 'run', 'messages', 'actors'],
      'a run is told of in messages, and long-lived workflows tell of runs',
    ),
    ...layers(
      'config',
      ['system', 'agents', 'keys', 'layers', 'home', 'resolve|init'],
      'a key is known before a file is read, a file before a policy is made',
    ),
    ...layers(
      'workflows',
      ['journal', 'inbox', 'actor|gates', 'turns', 'run|batch|quota|budget|merge-queue|aside'],
      'parts serve whoever owns them, a run or not',
    ),
    ...layers(
      'activities',
      ['agent|git|journal|process', 'sandbox', 'unit', 'checks', 'turn', 'opening|closing|landing|notify', 'forge'],
      'a command is run and sealed without knowing what it is for, an activity is retried without being known',
    ),
    ...layers(
      'activities/git',
      ['start|runner', 'refs', 'worktree', 'inspect', 'run', 'merge', 'forge'],
      'one git process, what it reads, what it makes, what a run asks of it',
    ),
    ...layers(
      'activities/agent',
      ['environment|answer', 'outcome', 'events', 'adapters', 'trial'],
      'how an answer is read and an end is judged is the same for every adapter',
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
      ['terminal', 'server', 'find', 'gates', 'start|watch', 'commands|demo|program'],
      'commands are made of parts, which know no command',
    ),
    {
      name: 'forge-is-loaded-late',
      comment: 'a host without a forge loads nothing of one: its worker imports it when the first activity comes',
      severity: 'error',
      from: { path: '^(protocol|config|wire|workflows|activities|worker|client)/', pathNot: '^activities/forge/' },
      to: { path: '^activities/forge/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    arrow(
      'page-is-for-browsers',
      '^page/',
      '^(config|wire|workflows|activities|worker|client/(calls|look|cli))/',
      'a browser has none of it; of what the server tells, the page knows the types alone, to which oxlint holds it',
    ),
    arrow('wire-is-below', '^wire/', '^(config|workflows|activities|worker|client)/', 'both ends of the wire use it'),
    {
      name: 'worker-does-not-ask',
      comment: 'the composition root serves; the client asks. Its calls are made where the SDK is',
      severity: 'error',
      from: { path: '^worker/', pathNot: '^worker/serve-command-line\\.ts$' },
      to: { path: '^client/' },
    },
    arrow('client-goes-by-messages', '^client/', '^(workflows|activities)/', 'a client on another machine has neither'),
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
    arrow(
      'product-knows-no-tests',
      '^(protocol|config|wire|workflows|activities|worker|client)/',
      '^(test|bench|tools)/',
      'tests come and go',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.d.ts'] },
  },
};
