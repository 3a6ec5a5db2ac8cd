/**
 * The kinds of value that config keys have, as zod schemas that answer what the engine works with (milliseconds, bytes).
 * Every issue's message is the rule that the value breaks, written to follow the words "rounds is -1".
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { roundStart } from '../../protocol/run/next-stage.js';
import { ADAPTERS, type Adapter } from '../../protocol/run/policy.js';
import {
  isDecided,
  isInRound,
  STAGE_LISTS,
  STAGE_ROWS,
  STAGES,
  type Stage,
  type StageListName,
} from '../../protocol/run/stages.js';
import { printableLine } from '../../protocol/text/printable.js';
import { templateFault } from '../../protocol/text/prompt-template.js';
import { NETWORK_HOST_RULE, parseNetworkHost } from '../agents/network-host.js';
import { mayPassVariable, maySetVariable, NEVER_PASSED } from '../agents/passed-variables.js';
import { formatByteSize, parseByteSize } from './byte-size.js';
import { formatDuration, parseDuration } from './duration.js';
import { compileBlockRule, compileGlob } from './glob-rule.js';

const MAX_LIST = 200;

/** **Unit** milliseconds, both ends inclusive. */
export function duration(min: number, max: number) {
  const rule = `must be a duration from ${formatDuration(min)} to ${formatDuration(max)}, such as 90s, 15m or 1h30m`;
  return text(rule).transform((value, context) => {
    const ms = parseDuration(value);
    if (ms !== null && ms >= min && ms <= max) return ms;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
}

/** A duration, or the word for none, which is null. **Unit** milliseconds, both ends inclusive. */
export function durationOr(none: 'off' | 'never', min: number, max: number) {
  const rule = `must be ${none} or a duration from ${formatDuration(min)} to ${formatDuration(max)}, such as 30m, 8h or 30d`;
  return text(rule).transform((value, context) => {
    if (value === none) return null;
    const ms = parseDuration(value);
    if (ms !== null && ms >= min && ms <= max) return ms;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
}

/** A duration, or a bare 0, whose unit needs no guess. **Unit** milliseconds up to and with `max`. */
export function durationOrZero(max: number) {
  const error = `must be 0 or a duration up to ${formatDuration(max)}, such as 30m, 8h or 3d`;
  return z.union([z.literal(0), duration(0, max)], { error });
}

/** A whole number of seconds, answered in milliseconds: Vibestrate's spelling of a time. */
export function seconds(min: number, max: number) {
  return integer(min, max, 'seconds').transform((value) => value * 1000);
}

/** A whole number of minutes, answered in milliseconds. */
export function minutes(min: number, max: number) {
  return integer(min, max, 'minutes').transform((value) => value * 60_000);
}

export function amount(unit: string, max: number) {
  const error = `must be a number of ${unit} above 0, at most ${max}`;
  return z.number({ error }).positive({ error }).max(max, { error });
}

/** A sum of US dollars, answered in whole micro-dollars. */
export function dollars(max: number) {
  const error = `must be a number of US dollars from 0.000001 to ${max}`;
  return z
    .number({ error })
    .max(max, { error })
    .transform((value) => Math.round(value * 1_000_000))
    .refine((microUsd) => microUsd >= 1, { error });
}

export const yesOrNo = z.boolean({ error: 'must be true or false' });

/** **Unit** bytes, both ends inclusive. */
export function byteSize(min: number, max: number) {
  const rule = `must be a size from ${formatByteSize(min)} to ${formatByteSize(max)}, such as 200MB or 64KiB`;
  return text(rule).transform((value, context) => {
    const bytes = parseByteSize(value);
    if (bytes !== null && bytes >= min && bytes <= max) return bytes;
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });
}

export function integer(min: number, max: number, unit = '') {
  const error = `must be a whole number${unit === '' ? '' : ` of ${unit}`} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** From 0 to 1, both ends inclusive. */
const FRACTION_RULE = 'must be a number from 0 to 1';
export const fraction = z
  .number({ error: FRACTION_RULE })
  .min(0, { error: FRACTION_RULE })
  .max(1, { error: FRACTION_RULE });

export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}` });
}

/** The name of an agent of `agents`. */
export const AGENT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

export const agentName = text(
  'must be the name of an agent: a letter, then letters, digits, _ and -, at most 40',
  (value) => AGENT_NAME.test(value),
);

/** One part of the name of a quota gate. */
export const accountName = text(
  'must be a name of letters, digits and _.-, at most 64, starting with a letter or digit',
  (value) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(value),
);

/** Reaches an agent as an argument or a variable, so it never looks like an option. */
export const modelName = text(
  'must be a name of letters, digits and ._:/@+-, at most 128, starting with a letter or digit',
  (value) => /^[A-Za-z0-9][\w.:/@+-]{0,127}$/.test(value),
);

export const instructions = text(
  'must be a text of 1 to 16384 characters without NUL',
  (value) => value !== '' && isText(value, 16_384),
);

/** One line, in which `{field}` stands for something and no other brace is. */
export function oneLine(fields: readonly string[]) {
  const names = fields.map((field) => `{${field}}`);
  const isLine = (value: string) => {
    const rest = names.reduce((left, name) => left.replaceAll(name, ''), value);
    return value.trim() !== '' && isText(value, 200) && printableLine(value) === value && !/[{}]/.test(rest);
  };
  return text(`must be one line of 1 to 200 characters, with no other braces than ${names.join(', ')}`, isLine);
}

/** Of one stage's prompt. */
export const promptTemplate = instructions.superRefine((value, context) => {
  const fault = templateFault(value);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
});

/** Shell command lines for `/bin/sh -c`. */
export const commandLines = list(
  text(
    'must be a command line of 1 to 8192 characters without NUL',
    (value) => value.trim() !== '' && isText(value, 8192),
  ),
);

const argument = text('must be a text of at most 32768 characters without NUL (quote numbers)', (value) =>
  isText(value, 32_768),
);

export const programArgs = list(argument);

const PROGRAM_RULE =
  'must be a program on PATH or an absolute path, never a path into the repository; write arguments as a list: [prog, arg]';

/** **Source** docs/design.md "Trust": programs come from PATH, never from the repository or `node_modules/.bin`. */
export function isProgram(program: string): boolean {
  return program !== '' && isText(program, 4096) && (program.startsWith('/') || /^[^/\\\s-][^/\\]*$/.test(program));
}

const word = text(PROGRAM_RULE, (value) => isProgram(value) && (value.startsWith('/') || !/\s/.test(value)));

/** Program and leading arguments; a bare word is a program alone. */
export const programLine = z
  .union([word.transform((value): string[] => [value]), programArgs], { error: PROGRAM_RULE })
  .transform((value, context): [string, ...string[]] => {
    const [program, ...args] = value;
    if (program !== undefined && isProgram(program)) return [program, ...args];
    context.addIssue({ code: 'custom', message: PROGRAM_RULE });
    return z.NEVER;
  });

/** The folder of an agent's own login. A leading `~/` is the person's home. */
export const configFolder = text('must be an absolute path, or one below ~/, without ..', isOutsideFolder).transform(
  (value) => (value.startsWith('~/') ? join(homedir(), value.slice(2)) : value),
);

function isOutsideFolder(value: string): boolean {
  return isText(value, 4096) && /^(?:~\/|\/)[^/]/.test(value) && !value.split('/').includes('..');
}

const BASE_URL_RULE =
  'must be an http or https address without credentials, query and fragment, such as https://llm.example.com/v1';

/** Where a model is asked. **Shape** without a final slash. */
export const baseUrl = text(BASE_URL_RULE, isBaseUrl).transform((value) => value.replace(/\/+$/, ''));

function isBaseUrl(value: string): boolean {
  return isText(value, 2048) && !/[\s?#@]/.test(value) && /^https?:\/\//i.test(value) && URL.canParse(value);
}

export const adapter = z.custom<Adapter>((value) => ADAPTERS.some((known) => known === value), {
  error: `must be one of ${ADAPTERS.join(', ')}`,
});

export const environment = z
  .record(z.string(), argument, {
    error: 'must be a mapping of names to texts',
  })
  .superRefine((value, context) => {
    for (const name of Object.keys(value)) {
      if (maySetVariable(name)) continue;
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'must be the name of an environment variable: letters, digits and _, not starting with SLUICE_',
      });
    }
  });

export const environmentNames = list(
  text(
    `must be the name of an environment variable: letters, digits and _, not starting with SLUICE_ or TEMPORAL_, and none of ${NEVER_PASSED.join(', ')}`,
    mayPassVariable,
  ),
);

export const globs = list(
  z.string({ error: 'must be a glob' }).superRefine((value, context) => {
    const compiled = compileGlob(value);
    if (compiled.kind === 'bad') context.addIssue({ code: 'custom', message: compiled.rule });
  }),
);

const HOST_NAME = 'must be a host name, with its port where it has one';

/** Lower case. */
export const hostNames = list(
  z
    .string({ error: HOST_NAME })
    .toLowerCase()
    .regex(/^(?=.{1,253}(?::|$))[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::\d{1,5})?$/, { error: HOST_NAME }),
);

export const blockRules = list(
  z.string({ error: 'must be a glob over paths or a /regex/ over added lines' }).superRefine((value, context) => {
    const compiled = compileBlockRule(value);
    if (compiled.kind === 'bad') context.addIssue({ code: 'custom', message: compiled.rule });
  }),
);

/** Files that are copied or linked into a worktree: globs below the checkout, never git's own. */
export const checkoutGlobs = list(
  z.string({ error: 'must be a glob' }).superRefine((value, context) => {
    const compiled = compileGlob(value);
    if (compiled.kind === 'bad') context.addIssue({ code: 'custom', message: compiled.rule });
    else if (/^\.(?:git|sluice)(?:\/|$)/i.test(value))
      context.addIssue({ code: 'custom', message: 'must not name .git or .sluice' });
  }),
);

/** A folder of the repository. **Shape** relative, normal form, no trailing slash. */
export const repositoryFolder = text(
  'must be a folder inside the repository, relative, without .., outside .git',
  isInnerFolder,
).transform(normalPath);

export const networkHosts = list(text(NETWORK_HOST_RULE, (value) => parseNetworkHost(value) !== null));

/** Paths below HOME, never HOME itself. **Shape** relative, normal form. */
export const homePaths = list(
  text(
    'must be a path below HOME without .., such as .npm or .config/tool',
    (value) => !belowHome(value).startsWith('~') && isInnerFolder(belowHome(value)),
  ).transform((value) => normalPath(belowHome(value))),
);

export interface StageChoice {
  readonly name: StageListName | 'custom';
  readonly stages: readonly Stage[];
}

const NAMED_LISTS = `${Object.keys(STAGE_LISTS).join(', ')} or a list of stages`;

/** A named list or stages in their legal order. **Source** V-06, V-05. */
export const stageChoice = z
  .union([z.enum(['full', 'express', 'plan-only']), z.array(z.string())], { error: `must be ${NAMED_LISTS}` })
  .transform((value, context): StageChoice => {
    if (typeof value === 'string') return { name: value, stages: STAGE_LISTS[value] };
    const stages = STAGES.filter((stage) => value.includes(stage));
    const rule = badStageList(value, stages);
    if (rule === null) return { name: 'custom', stages };
    context.addIssue({ code: 'custom', message: rule });
    return z.NEVER;
  });

function badStageList(given: readonly string[], stages: readonly Stage[]): string | null {
  if (given.length === 0) return 'must name at least one stage';
  if (given.join() !== stages.join())
    return `must name stages of ${STAGES.join(', ')}, in this order, each at most once`;
  const fix = roundStart(stages);
  const last = stages.at(-1);
  if (fix !== null && !isDecided('review', stages))
    return `must have ${STAGES.find((stage) => STAGE_ROWS[stage].decides === 'review')} if it has ${fix} (only a review asks for a fix)`;
  if (last !== undefined && isInRound(last)) return `must not end at ${last} (a fix is reviewed or verified)`;
  return null;
}

export function text(error: string, accepts: (value: string) => boolean = () => true) {
  return z.string({ error }).refine(accepts, { error });
}

function list<T extends z.ZodType>(item: T) {
  const error = `must be a list of at most ${MAX_LIST} entries`;
  return z.array(item, { error }).max(MAX_LIST, { error }).readonly();
}

function isText(value: string, max: number): boolean {
  return value.length <= max && !value.includes('\0');
}

function belowHome(value: string): string {
  return value.replace(/^~\//, '');
}

function normalPath(value: string): string {
  return value
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function isInnerFolder(value: string): boolean {
  const parts = value.split('/').filter((part) => part !== '' && part !== '.');
  return (
    parts.length > 0 &&
    value.length <= 400 &&
    !value.startsWith('/') &&
    !/[\\\0]/.test(value) &&
    !parts.some((part) => part === '..' || part.toLowerCase() === '.git')
  );
}
