/**
 * The arrow rule: protocol ← config ← activities ← worker; protocol ← workflows ← worker; protocol, config ← client.
 * wire/ is how values cross to the server; worker and client share it.
 */
const arrow = (name, from, to, comment) => ({ name, comment, severity: 'error', from: { path: from }, to: { path: to } });

module.exports = {
  forbidden: [
    { name: 'no-cycles', comment: 'a cycle has no part that can be read first', severity: 'error', from: {}, to: { circular: true } },
    arrow(
      'protocol-is-pure',
      '^protocol/',
      '^(config|wire|workflows|activities|worker|client|node_modules)/',
      'the contract imports nothing outside itself',
    ),
    arrow('config-is-below', '^config/', '^(workflows|activities|worker|client)/', 'a policy is made before anything acts on it'),
    arrow('workflows-are-deterministic', '^workflows/', '^(config|wire|worker|client)/', 'what workflows import is replayed in a sandbox'),
    {
      name: 'workflows-use-the-type-barrel',
      comment: 'one list of activities is the contract between the two; oxlint holds it to type imports, which swc does not tell apart',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', pathNot: '^activities/index\\.ts$' },
    },
    arrow(
      'parts-know-no-workflow',
      '^workflows/(journal|gates|desk|turns)/',
      '^workflows/(run|batch|aside)/',
      'they serve whoever owns them, a run or not',
    ),
    arrow('journal-is-the-lowest-part', '^workflows/journal/', '^workflows/(gates|desk|turns)/', 'every part writes lines'),
    arrow('gates-and-desk-take-no-turns', '^workflows/(gates|desk)/', '^workflows/turns/', 'a gate opens and a message comes without any'),
    arrow(
      'a-run-knows-no-other-workflow',
      '^workflows/run/',
      '^workflows/aside/',
      'it starts them by their names, and each is served alone',
    ),
    arrow('activities-are-hosts-only', '^activities/', '^(workflows|worker|client)/', 'a host never holds run state and never starts runs'),
    arrow(
      'sandbox-is-below',
      '^activities/sandbox/',
      '^activities/(unit|run|notify)/',
      'a command is closed in without knowing what it is for',
    ),
    arrow('unit-is-below', '^activities/unit/', '^activities/(run|notify)/', 'an activity is retried by it; it knows none of them'),
    arrow('wire-is-below', '^wire/', '^(config|workflows|activities|worker|client)/', 'both ends of the wire use it'),
    arrow('worker-does-not-ask', '^worker/', '^client/', 'the composition root serves; the client asks'),
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
