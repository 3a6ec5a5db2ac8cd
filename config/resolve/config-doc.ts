/** Renders docs/config.md from the key table, so that the document cannot say what the parser does not do. */

import { GUARDED_ROWS } from '../keys/guarded-paths.js';
import type { KeyRow } from '../keys/key-table.js';
import { DEFAULT_SETUP_INPUTS, KEYS } from '../keys/keys.js';
import { COMING_KEYS } from '../keys/keys-coming.js';
import { formatUnit } from './explain-policy.js';

export function renderConfigDoc(): string {
  const known = Object.entries<KeyRow<unknown>>(KEYS).map(([key, row]) => knownLine(key, row));
  const coming = Object.entries(COMING_KEYS).map(([key, { meaning, inForce, aliases }]) =>
    tableLine([
      code(key),
      meaning,
      inForce.map((value) => code(JSON.stringify(value))).join(', '),
      aliases.map(code).join(', '),
    ]),
  );
  return [
    INTRODUCTION,
    tableLine(['key', 'value', 'default', 'meaning', 'may stand in', 'of several', 'alias']),
    tableLine(['---', '---', '---', '---', '---', '---', '---']),
    ...known,
    '',
    `Default of \`worktree.setupInputs\`: ${DEFAULT_SETUP_INPUTS.map(code).join(', ')}.`,
    '',
    GUARDED_INTRODUCTION,
    tableLine(['guarded by default', 'why']),
    tableLine(['---', '---']),
    ...GUARDED_ROWS.map(({ paths, why }) => tableLine([paths.map(code).join(', '), why])),
    '',
    COMING_INTRODUCTION,
    tableLine(['key', 'will set', 'accepted now', 'alias']),
    tableLine(['---', '---', '---', '---']),
    ...coming,
    '',
  ].join('\n');
}

const INTRODUCTION = `# Config

<!-- Written by tools/docs.ts from config/keys/keys.ts. -->

A project's config is \`.sluice/config.yaml\`, read at the base commit of a run; your own is \`~/.config/sluice/config.yaml\`.
Precedence: run input (the options of \`sluice run\` are in it), project, user, preset, defaults. An unknown key, a key without effect, or two spellings of one is an
error with file, line and column. \`sluice config\` shows what is in force and where it comes from.

- Durations are whole numbers with units, largest first: \`90s\`, \`15m\`, \`1h30m\`, \`30d\`, \`200ms\`. Sizes: \`200MB\`, \`64KiB\`.
- A bare list for \`gates\` is short for \`gates.stages\`.
- Globs are relative to the repository; \`*\` matches dotfiles; there are no negative globs.
- Keys marked † start programs, move files or send data out: a project's config with one of them is used only after \`sluice trust\`.
- \`any\` = files and run input; \`files\` = both files; \`user\` = your own file only.
- Where several set a key: \`first\` = the first in the order of precedence counts; \`stricter\` = the smaller value of your file and the project's, and where neither has the key
  that of the preset or the default; run input can only lower it; \`union\` = all lists add up.
- Until you trust a project's config (\`sluice trust\`) it can only make a run stricter, also where nothing in it needs trust: it lowers limits and adds to lists. It cannot take validating,
  reviewing or verifying from a run that writes, nor choose a \`preset\` whose policy is another than that of \`default\`, and what it merely chooses counts only where your own file says nothing.

## Keys
`;

const GUARDED_INTRODUCTION = `## Guarded paths

Files that steer agents or run by themselves: a change that touches one waits for a person, in any case of its letters, and unattended the run
ends \`blocked\`. What a person runs by name (\`package.json\`, Makefile, \`conftest.py\`, \`build.rs\`) is ordinary code and not in this list: checks
and reviews are for that, and \`guardedPaths\` is for whoever wants to look at it too. Lists of your own and of a trusted project **replace** this
one; a project that nobody trusted only adds to it. Not seen is what a guarded file reads further: the target of a link at such a path, or an
import in it (\`@docs/rules.md\`); list such a file.
`;

const COMING_INTRODUCTION = `## Keys of later versions

Their features are not in this version. A value that changes nothing is accepted, every other one is an error.
A bare word for \`landing\` is short for \`landing.mode\`.
`;

function knownLine(key: string, row: KeyRow<unknown>): string {
  const aliases = row.aliases.map(({ path }) => code(path)).join(', ');
  return tableLine([
    `${code(key)}${row.executes ? ' †' : ''}`,
    row.type,
    defaultText(row),
    row.meaning,
    row.scope,
    row.merge,
    aliases,
  ]);
}

function defaultText({ fallback, fallbackText, unit, none }: KeyRow<unknown>): string {
  if (fallbackText !== null) return fallbackText;
  if (typeof fallback === 'number' && unit !== null) return code(String(formatUnit(unit, fallback)));
  if (none !== null) return code(none);
  if (['number', 'string', 'boolean'].includes(typeof fallback)) return code(String(fallback));
  return 'none';
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
