/** Every config key with values that a file may have there, by what a project's file may do with it. A key that is in no table has no test. */
/** `a.b.c: value` as a file has it. */
export const line = (key: string, value: string) =>
  `${key
    .split('.')
    .map((part, depth) => `${'  '.repeat(depth)}${part}:`)
    .join('\n')} ${value}\n`;

/** Of each: what is stricter than the default, what is looser than that; `null` where the default is the loosest. */
export const STRICTER: readonly (readonly [key: string, strict: string, loose: string | null])[] = [
  ['limits.turn', '30m', '7d'],
  ['limits.stall', '1m', '7d'],
  ['limits.killGrace', '1s', '5m'],
  ['limits.orphanGrace', '10s', '1d'],
  ['limits.heartbeat', '5s', '10m'],
  ['limits.outputBytes', '1MB', '10GB'],
  ['worktree.setupTimeout', '1m', '1d'],
  ['validation.timeout', '1m', '1d'],
  ['validation.baseFailures', 'fix', 'ignore'],
  ['stages.executing.timeout', '1m', '7d'],
  ['stages.executing.contextBytes', '100kB', '10MB'],
  ['stages.executing.tools', 'edit', null],
  ['rounds', '1', '20'],
  ['gates.maxChangeRounds', '1', '20'],
  ['holdAtCompletion', 'true', null],
  ['permissions', 'ask', null],
  ['budget.run.turns', '5', null],
  ['budget.run.minutes', '5', null],
  ['budget.run.usd', '5', null],
  ['budget.run.tokens', '5', null],
  ['budget.day.turns', '5', null],
  ['budget.day.minutes', '5', null],
  ['budget.day.usd', '5', null],
  ['budget.day.tokens', '5', null],
  ['budget.onLimit', 'stop', 'pause'],
  ['usageLimit.action', 'stop', 'fallback'],
  ['usageLimit.maxWait', '1m', '30d'],
  ['usageLimit.maxWaits', '1', '100'],
  ['landing.mode', 'off', 'auto'],
  ['landing.needs', 'verified', 'checked'],
  ['landing.conflict', 'gate', 'recreate'],
  ['landing.evidence', 'commit', null],
  ['admission.order', '[dedup, [classify, plan]]', null],
  ['admission.minConfidence', '0.5', null],
  ['admission.autoExecuteSmall', 'false', 'true'],
  ['admission.allowAgentApproval', 'false', 'true'],
  ['asks.classify.timeout', '1m', '1h'],
];

export const ADDS: readonly (readonly [key: string, entry: string, inUser: string])[] = [
  ['guardedPaths', 'nothing/here', 'mine/**'],
  ['block', '*.sql', '*.pem'],
  ['gates.stages', 'verifying', 'executing'],
  ['worktree.setupInputs', 'nothing/here', 'mine.lock'],
  ['landing.labels', 'theirs', 'mine'],
];

/** No value of these allows more than another. */
export const CHOOSES: readonly (readonly [key: string, inProject: string, inUser: string])[] = [
  ['preset', 'vibestrate', 'default'],
  ['agent', 'spare', 'main'],
  ['stages.executing.agent', 'spare', 'main'],
  ['stages.executing.model', 'theirs', 'mine'],
  ['stages.executing.effort', 'low', 'high'],
  ['stages.executing.instructions', 'theirs', 'mine'],
  ['stages.executing.prompt', '"theirs {{task}}"', '"mine {{task}}"'],
  ['validation.onFailure', 'review', 'fix'],
  ['gates.remind', '8h', '30m'],
  ['gates.escalate', '8h', '30m'],
  ['gates.expire', '8h', '30m'],
  ['gates.unattendedExpire', '8h', '30m'],
  ['project.name', 'shop', 'store'],
  ['backlog.maxConcurrent', '3', '2'],
  ['backlog.order', 'priority', 'fifo'],
  ['backlog.conflicts', 'block', 'warn'],
  ['backlog.from', 'base', 'tip'],
  ['backlog.parkedDays', '7', '14'],
  ['backlog.gate', 'start', 'none'],
  ['backlog.slotUntil', 'landed', 'reviewing'],
  ['dedup.onHit', 'block', 'judge'],
  ['dedup.thresholds.keyword', '0.9', '0.85'],
  ['dedup.thresholds.trigram', '0.9', '0.85'],
  ['dedup.thresholds.tfidf', '0.9', '0.85'],
  ['dedup.thresholds.minhash', '0.9', '0.85'],
  ['asks.classify.agent', 'spare', 'main'],
  ['asks.classify.model', 'theirs', 'mine'],
  ['asks.plan.effort', 'low', 'high'],
  ['asks.plan.instructions', 'theirs', 'mine'],
  ['asks.classify.prompt', '"theirs {{task}}"', '"mine {{task}}"'],
  ['branch.prefix', 'team/', 'skep/'],
  ['landing.attempts', '3', '2'],
  ['landing.method', 'rebase', 'merge'],
  ['landing.retryWait', '1m', '2m'],
  ['landing.title', '"{title} ({id})"', '"{title}"'],
  ['landing.checksTimeout', '30m', '2h'],
  ['landing.reactRounds', '1', '3'],
  ['attended', 'true', 'false'],
  ['worktrees.keep', '7d', '30d'],
  ['stageList', 'express', 'full'],
];

/** A file with one of these starts programs, moves files or sends data out. */
export const NEEDS_TRUST: readonly (readonly [key: string, value: string])[] = [
  ['agents.main.adapter', 'claude-code'],
  ['agents.main.command', 'evil'],
  ['agents.main.args', '[--evil]'],
  ['agents.main.env', '{NODE_OPTIONS: --require=/evil.js}'],
  ['agents.main.passEnv', '[MY_KEY]'],
  ['agents.main.model', 'dear'],
  ['agents.main.extendedModel', 'dear'],
  ['agents.judge.provider', 'openai'],
  ['agents.judge.baseUrl', 'https://evil.example/v1'],
  ['agents.main.configDir', '/tmp/evil'],
  ['agents.main.fallback', 'spare'],
  ['agents.main.account', 'other'],
  ['agents.main.home', '[.ssh]'],
  ['worktree.setup', '[evil]'],
  ['worktree.copy', '[.env]'],
  ['worktree.link', '[.env]'],
  ['worktree.keep', '[target/]'],
  ['validation.commands', '[evil]'],
  ['landing.required', '[evil]'],
  ['notify', '[]'],
  ['sandbox', 'off'],
  ['network', 'on'],
  ['networkAllow', '[evil.example]'],
  ['sandboxHome', '[.ssh]'],
  ['runsDir', '.claude/commands'],
  ['forge.kind', 'github'],
  ['forge.repo', 'evil/copy'],
  ['forge.apiUrl', 'https://api.evil.example'],
];

/** A project's file has none of these. */
export const OWN_FILE: readonly (readonly [key: string, value: string])[] = [
  ['engine.durability', 'power'],
  ['engine.ports.server', '2000'],
  ['engine.ports.ui', '2001'],
  ['engine.webhook', '{port: 2002, secretEnv: HOOK}'],
  ['slots', '200'],
  ['askSlots', '2'],
];

/** All of them in one file: the stricter value, or that of the person. */
export const SAMPLES: readonly (readonly [key: string, value: string])[] = [
  ['version', '1'],
  ...STRICTER.map(([key, strict]) => [key, strict] as const),
  ...ADDS.map(([key, , inUser]) => [key, `["${inUser}"]`] as const),
  ...CHOOSES.map(([key, , inUser]) => [key, inUser] as const),
  ...NEEDS_TRUST,
  ...OWN_FILE,
];
