/**
 * Changes of the SDK's thread that runs the workflows, where it does for each promise and each call what few need. Each takes the text of the SDK's file
 * and answers what is bundled. Errors: plain Error where the text is not what it was.
 */

const GETTER = "ctor('return globalThis.__TEMPORAL_ACTIVATOR__')()";
const STACK_BEGINS = 'const formatted = (0, common_1.cutoffStackTrace)(new ErrorCtor()';
const STACK_ENDS = '// This is weird but apparently it happens';
const WITHOUT_OWN_LINES = /\.cutoffStackTrace\)\(new ErrorCtor\(\)\.stack(.+)\);\n/;

/**
 * `vm-shared.js`. The stack of each promise that a workflow makes is written out, through the source map, for the day on which somebody asks where the workflow
 * waits (the Query `__stack_trace`): some forty microseconds each, and a hundred milliseconds in a worker's first run. A promise keeps its frames, and who asks has them written.
 */
export function writeStacksWhenAsked(text: string): string {
  const begin = text.indexOf(STACK_BEGINS);
  const end = text.indexOf(STACK_ENDS);
  const withoutOwnLines = WITHOUT_OWN_LINES.exec(text.slice(begin))?.[1];
  if (begin === -1 || end < begin || withoutOwnLines === undefined) throw notAsItWas(STACK_BEGINS);
  const kept = `${text.slice(0, begin)}const stackTrace = new KeptStack(this, new ErrorCtor());\n${text.slice(end)}`;
  return `${replaceOnce(kept, GETTER, '(GETTERS.get(ctor) ?? makeGetter(ctor))()')}\n${keptStack(withoutOwnLines)}`;
}

/** A function that is made out of text is kept for each context. Of a promise that `Promise.all` or its like made within itself the outer one tells. */
const keptStack = (withoutOwnLines: string) => String.raw`
const GETTERS = new WeakMap();
function makeGetter(ctor) {
  const getter = ctor('return globalThis.__TEMPORAL_ACTIVATOR__');
  GETTERS.set(ctor, getter);
  return getter;
}
const WITHIN_ANOTHER = /^\s+at\sPromise\.then \(<anonymous>\)\n\s+at (Function|Promise)\.(race|all|allSettled|any) /;
class KeptStack {
  constructor(handlers, error) {
    this.handlers = handlers;
    this.error = error;
  }
  write() {
    this.handlers.currentStackTrace = [];
    const formatted = (0, common_1.cutoffStackTrace)(this.error.stack${withoutOwnLines});
    const structured = this.handlers.currentStackTrace;
    cutoffStructuredStackTrace(structured);
    Object.defineProperties(this, {
      formatted: { value: WITHIN_ANOTHER.test(formatted) ? '' : formatted },
      structured: { value: structured },
    });
    return this;
  }
  get formatted() {
    return this.write().formatted;
  }
  get structured() {
    return this.write().structured;
  }
}`;

/** The watch over an endless loop, as the SDK asks for it at each call. */
const WATCHED_CALL = `return callIntoVmScript.runInContext(context, {
                        timeout: isolateExecutionTimeoutMs,`;

/** `reusable-vm.js`. Each of the five or more calls of an activation has a thread of its own that watches it; the whole activation has one instead. */
export function leaveCallsUnwatched(text: string): string {
  return replaceOnce(text, WATCHED_CALL, 'return callIntoVmScript.runInContext(context, {');
}

/** `workflow-worker-thread.js`. */
export function watchActivations(text: string): string {
  const withLimit = replaceOnce(
    text,
    "case 'init':",
    "case 'init':\n            watchedMs = input.isolateExecutionTimeoutMs;",
  );
  const created = replaceOnce(
    withLimit,
    'await workflowCreator.createWorkflow(input.options)',
    'await watched(() => workflowCreator.createWorkflow(input.options))',
  );
  const activated = replaceOnce(
    created,
    'await workflow.activate(activation)',
    'await watched(() => workflow.activate(activation))',
  );
  return `${activated}
let watchedMs;
const WATCHED = new (require('node:vm').Script)('globalThis.__watched()');
function watched(work) {
  globalThis.__watched = work;
  return WATCHED.runInThisContext({ timeout: watchedMs });
}`;
}

/** Errors: plain Error where `before` is not there, or more than once. */
export function replaceOnce(text: string, before: string, after: string): string {
  if (text.split(before).length !== 2) throw notAsItWas(before);
  return text.replace(before, () => after);
}

function notAsItWas(before: string): Error {
  return new Error(`${before} does not occur once; look at the SDK`);
}
