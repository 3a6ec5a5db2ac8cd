/**
 * The rows of `sluice config`: each key with its value in force and where it comes from. Values of `env` and
 * paths of webhooks are not shown, since people keep keys there.
 */
import type { Json, JsonObject } from '../protocol/json.js';
import { DEFAULT_CONTEXT_BYTES } from '../protocol/limits.js';
import { defaultTools, type NotifySink, type Policy } from '../protocol/policy.js';
import { formatByteSize } from './byte-size.js';
import { printableLine } from './config-error.js';
import { formatDuration } from './duration.js';
import type { HostSettings } from './host-settings.js';
import { TURN_STAGES } from './key-match.js';
import type { ResolvedPolicy } from './resolve-policy.js';

/** **Shape** `value` as a config file would write it; `text` is one printable line of it. */
export interface ConfigRow {
  readonly key: string;
  readonly value: Json;
  readonly text: string;
  readonly origin: string;
}

export function explainConfig({ policy, origin }: ResolvedPolicy, host: HostSettings | null = null): readonly ConfigRow[] {
  const values: [string, Json][] = [
    ...runValues(policy),
    ...lifecycleValues(policy),
    ...sandboxValues(policy),
    ...agentValues(policy),
    ...stageValues(policy),
    ...limitValues(policy),
    ...hostValues(host),
  ];
  return values.map(([key, value]) => ({ key, value, text: textOf(value), origin: originOf(origin, key) }));
}

function runValues(policy: Policy): [string, Json][] {
  const { worktree, validation } = policy;
  return [
    ['version', policy.version],
    ['preset', policy.preset],
    ['stageList', policy.stageList === 'custom' ? policy.stages : policy.stageList],
    ['worktree.setup', worktree.setup],
    ['worktree.copy', worktree.copy],
    ['worktree.link', worktree.link],
    ['worktree.setupInputs', worktree.setupInputs],
    ['worktree.setupTimeout', formatDuration(worktree.setupTimeoutMs)],
    ['validation.commands', validation.commands],
    ['validation.timeout', formatDuration(validation.timeoutMs)],
    ['validation.baseFailures', validation.baseFailures],
    ['validation.onFailure', validation.onFailure],
    ['guardedPaths', policy.guardedPaths],
    ['block', policy.block],
    ['runsDir', policy.runsDir],
    ['engine.durability', policy.durability],
  ];
}

function lifecycleValues(policy: Policy): [string, Json][] {
  const { gates, budget, usageLimit } = policy;
  return [
    ['rounds', policy.rounds],
    ['gates.stages', gates.stages],
    ['gates.maxChangeRounds', gates.maxChangeRounds],
    ['gates.remind', durationOr('off', gates.remindMs)],
    ['gates.escalate', durationOr('off', gates.escalateMs)],
    ['gates.expire', durationOr('never', gates.expireMs)],
    ['gates.unattendedExpire', gates.unattendedExpireMs === 0 ? 0 : formatDuration(gates.unattendedExpireMs)],
    ['attended', policy.attended],
    ['holdAtCompletion', policy.holdAtCompletion],
    ['permissions', policy.permissions],
    ['budget.run.turns', budget.turns],
    ['budget.run.minutes', budget.minutes],
    ['budget.run.usd', budget.microUsd === null ? null : budget.microUsd / 1_000_000],
    ['budget.day.turns', budget.day?.turns ?? null],
    ['budget.day.minutes', budget.day?.minutes ?? null],
    ['budget.day.usd', budget.day?.microUsd == null ? null : budget.day.microUsd / 1_000_000],
    ['budget.onLimit', budget.onLimit],
    ['usageLimit.action', usageLimit.action],
    ['usageLimit.maxWait', formatDuration(usageLimit.maxWaitMs)],
    ['usageLimit.maxWaits', usageLimit.maxWaits],
    ['notify', policy.notify.map(sinkValue)],
  ];
}

function sandboxValues({ sandbox }: Policy): [string, Json][] {
  if (sandbox === undefined) return [];
  return [
    ['sandbox', sandbox.use],
    ['network', sandbox.network],
    ['networkAllow', sandbox.allow],
    ['sandboxHome', sandbox.home],
  ];
}

function durationOr(none: string, ms: number | null): string {
  return ms === null ? none : formatDuration(ms);
}

/** Of a webhook only the host: the rest of such an address is often its secret. */
function sinkValue(sink: NotifySink): Json {
  switch (sink.kind) {
    case 'desktop':
      return 'desktop';
    case 'command':
      return { command: sink.command };
    case 'webhook': {
      const { origin, href } = new URL(sink.url);
      const webhook = href === `${origin}/` ? origin : `${origin}/(not shown)`;
      return sink.secretEnv === null ? { webhook } : { webhook, secretEnv: sink.secretEnv };
    }
  }
}

function agentValues({ agents }: Policy): [string, Json][] {
  return Object.entries(agents).map(
    ([name, { adapter, command, args, env, passEnv, model, extendedModel, fallback, configDir, home }]): [string, Json] => {
      const hidden: JsonObject = Object.fromEntries(Object.keys(env).map((variable) => [variable, '(not shown)']));
      const passed = passEnv === undefined ? {} : { passEnv };
      const larger = extendedModel === undefined ? {} : { extendedModel };
      const folder = configDir === undefined ? {} : { configDir };
      return [
        `agents.${name}`,
        { adapter, command, args, env: hidden, ...passed, model, ...larger, fallback, ...folder, ...(home === undefined ? {} : { home }) },
      ];
    },
  );
}

function stageValues({ stagePolicies }: Policy): [string, Json][] {
  return TURN_STAGES.flatMap((stage): [string, Json][] => {
    const { agent, model, effort, timeoutMs, instructions, prompt, contextBytes, tools } = stagePolicies[stage];
    return [
      [`stages.${stage}.agent`, agent],
      [`stages.${stage}.model`, model],
      [`stages.${stage}.effort`, effort],
      [`stages.${stage}.timeout`, formatDuration(timeoutMs)],
      [`stages.${stage}.instructions`, instructions],
      [`stages.${stage}.prompt`, prompt ?? null],
      [`stages.${stage}.contextBytes`, formatByteSize(contextBytes ?? DEFAULT_CONTEXT_BYTES)],
      [`stages.${stage}.tools`, tools ?? defaultTools(stage)],
    ];
  });
}

function limitValues({ limits }: Policy): [string, Json][] {
  return [
    ['limits.turn', formatDuration(limits.turnMs)],
    ['limits.stall', formatDuration(limits.stallMs)],
    ['limits.killGrace', formatDuration(limits.killGraceMs)],
    ['limits.orphanGrace', formatDuration(limits.orphanGraceMs)],
    ['limits.heartbeat', formatDuration(limits.heartbeatMs)],
    ['limits.outputBytes', formatByteSize(limits.outputBytes)],
  ];
}

function hostValues(host: HostSettings | null): [string, Json][] {
  if (host === null) return [];
  return [
    ['engine.ports.server', host.ports.server],
    ['engine.ports.ui', host.ports.ui],
    ['slots', host.slots],
  ];
}

function originOf(origin: ResolvedPolicy['origin'], key: string): string {
  return origin[key] ?? 'default';
}

function textOf(value: Json): string {
  if (value === null) return 'none';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return printableLine(typeof value === 'string' ? value : JSON.stringify(value), 400);
}
