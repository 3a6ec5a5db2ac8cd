/**
 * Two examples of each command, for its help: what most people want first, and what is worth knowing. Lines for a shell; the run of all of them is
 * called fix-parser, and a part of that does.
 */
export const EXAMPLES: Readonly<Record<string, readonly [string, string]>> = {
  demo: ['sluice demo', 'sluice demo --land'],
  init: ['sluice init', 'sluice init --agent command -- my-agent --quiet'],
  run: ['sluice run "fix the failing test in src/parse.ts"', 'sluice run "add a flag --quiet" --gate executing --hold'],
  batch: ['sluice batch tasks.jsonl', 'sluice batch tasks.jsonl --concurrency 4 --detach'],
  rewind: ['sluice rewind', 'sluice rewind fix-parser --stage reviewing'],
  list: ['sluice list', 'sluice list --all --open --since 7d'],
  status: ['sluice status', 'sluice status fix-parser --json'],
  watch: ['sluice watch', 'sluice watch fix-parser'],
  logs: ['sluice logs --follow', 'sluice logs fix-parser --turn 3'],
  diff: ['sluice diff --stat', 'sluice diff fix-parser'],
  show: ['sluice show checks', 'sluice show fix-parser prompt --stage executing'],
  path: ['cd "$(sluice path)"', 'git -C "$(sluice path fix-parser)" log --oneline'],
  open: ['sluice open', 'sluice open fix-parser --file src/parse.ts'],
  replay: ['sluice replay', 'sluice replay fix-parser --json'],
  audit: ['sluice audit', 'sluice audit fix-parser --json'],
  policies: ['sluice policies', 'sluice policies fix-parser --json'],
  budget: ['sluice budget', 'sluice budget fix-parser --json'],
  'approvals list': ['sluice approvals list', 'sluice approvals list fix-parser --json'],
  'approvals show': ['sluice approvals show', 'sluice approvals show fix-parser gate-1'],
  'approvals decide': [
    'sluice approvals decide fix-parser --approve -m "read it"',
    'sluice approvals decide fix-parser gate-1 --request-changes "keep the old name too"',
  ],
  approve: ['sluice approve', 'sluice approve fix-parser -m "read the plan"'],
  reject: ['sluice reject', 'sluice reject fix-parser -m "solved elsewhere"'],
  answer: ['sluice answer "port 8080"', 'sluice answer fix-parser "port 8080"'],
  steer: ['sluice steer "leave the public API as it is"', 'sluice steer fix-parser "add a test first"'],
  rename: ['sluice rename "Mend the parser"', 'sluice rename fix-parser "Mend the parser"'],
  pause: ['sluice pause', 'sluice pause fix-parser -m "the base moves today"'],
  resume: ['sluice resume', 'sluice resume fix-parser'],
  abort: ['sluice abort', 'sluice abort fix-parser -m "wrong branch" --wait'],
  'quota list': ['sluice quota list', 'sluice quota list --json'],
  'quota open': ['sluice quota open', 'sluice quota open anthropic/work'],
  land: ['sluice land', 'sluice land fix-parser --onto main --update-checkout'],
  'landings list': ['sluice landings list', 'sluice landings list --json'],
  'landings drop': ['sluice landings drop fix-parser', 'sluice landings drop fix-parser -m "not this week"'],
  'landings pause': ['sluice landings pause', 'sluice landings pause main'],
  'landings resume': ['sluice landings resume', 'sluice landings resume main'],
  clean: ['sluice clean --dry-run', 'sluice clean fix-parser --give-up'],
  up: ['sluice up --ui', 'eval "$(sluice up)"'],
  down: ['sluice down', 'sluice down --now'],
  worker: ['sluice worker', 'sluice worker --repo ~/shop ~/blog'],
  doctor: ['sluice doctor', 'sluice doctor --call'],
  config: ['sluice config --changed', 'sluice config gates'],
  trust: ['sluice trust', 'sluice trust --list'],
  completion: ['eval "$(sluice completion bash)"', 'sluice completion fish > ~/.config/fish/completions/sluice.fish'],
  states: ['sluice states', 'sluice states --json'],
};

/** The paragraph of a command's help. */
export function exampleHelp(name: string): string {
  return ['', 'Examples:', ...(EXAMPLES[name] ?? []).map((line) => `  ${line}`)].join('\n');
}
