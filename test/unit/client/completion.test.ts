/** What a shell is offered at Tab. The scripts run in real shells, as far as this machine has them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findCandidates } from '../../../client/cli/complete/candidates.js';
import { completeLine } from '../../../client/cli/complete/complete-line.js';
import { COMPLETIONS, SHELLS } from '../../../client/cli/complete/shells.js';
import { createProgram } from '../../../client/cli/program.js';
import { tempFolders } from '../../support/temp-folder.js';

const freshFolder = tempFolders();
const program = createProgram({
  behindDashes: [],
  out: () => {},
  write: () => {},
  err: () => {},
  start: async () => {},
}) as Command;

const sources = {
  runs: async () => [
    { word: 'fix-parser-abcd', about: 'a run' },
    { word: 'add-flag-abcd', about: 'a run' },
  ],
  configKeys: async () => [
    { word: 'gates.stages', about: 'before which' },
    { word: 'rounds', about: 'how often' },
  ],
};

const offered = async (...words: readonly string[]) =>
  (await findCandidates(program, words, sources)).map(({ word }) => word);

describe('at Tab', () => {
  it.each([
    ['a command', ['la'], ['land', 'landings']],
    ['a command of two words', ['landings', 'p'], ['pause']],
    ['an option of the command', ['run', '--att'], ['--attended']],
    ['an option behind words', ['run', 'fix it', '--unat'], ['--unattended']],
    ['a run', ['status', 'fix'], ['fix-parser-abcd']],
    ['each of several runs', ['land', 'fix-parser-abcd', 'add'], ['add-flag-abcd']],
    ['a part of a run', ['show', 'chec'], ['checks']],
    ['the run of a part', ['show', 'checks', 'fix'], ['fix-parser-abcd']],
    ['a config key', ['config', 'gates'], ['gates.stages']],
    ['a shell', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['a topic of help', ['help', 'landi'], ['landings']],
    ['nothing for a second run', ['status', 'fix-parser-abcd', ''], []],
    ['nothing for the value of an option', ['run', '--base', ''], []],
    ['nothing for a task', ['run', ''], []],
    ['nothing behind --', ['run', 'x', '--agent', 'command', '--', ''], []],
    ['nothing of a command that is not there', ['nothing', ''], []],
  ])('offers %s', async (_, words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('offers every command that the help shows, and not itself', async () => {
    expect(await offered('')).toEqual(expect.arrayContaining(['run', 'list', 'completion', 'help']));
    expect(await offered('')).not.toContain('complete');
  });

  it('takes any words', async () => {
    const word = fc.oneof(fc.string(), fc.constantFrom('run', 'status', '--', '-', '--json', 'landings', '--turn'));
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 6 }), async (words) => {
        for (const found of await offered(...words)) expect(found.startsWith(words.at(-1) ?? '')).toBe(true);
      }),
    );
  });

  it('names the runs of the repository around, and no folder that can be none', async () => {
    const root = freshFolder();
    for (const name of ['fix-parser-abcd', '$(touch evil)', 'a\nb', '..evil'])
      mkdirSync(join(root, '.sluice/runs', name), { recursive: true });
    mkdirSync(join(root, 'src'));

    expect(await completeLine(program, ['status', ''], join(root, 'src'))).toBe(
      '@last\tthe newest run here\nfix-parser-abcd\ta run\n',
    );
  });
});

describe('the completion of', () => {
  it.each(SHELLS)('%s offers what sluice says, and runs nothing that was typed', (shell) => {
    if (spawnSync(shell, ['-c', 'true']).status !== 0) {
      console.warn(`Not tried: there is no ${shell} on this machine.`);
      return;
    }
    const folder = freshFolder();
    const asked = join(folder, 'asked');
    const fake = join(folder, 'sluice');
    writeFileSync(fake, `#!/bin/sh\nprintf '%s|' "$@" > '${asked}'\nprintf 'status\\tone run\\nstates\\tall\\n'\n`);
    chmodSync(fake, 0o755);
    const marker = join(folder, 'evil');
    const script = join(folder, 'script');
    writeFileSync(script, COMPLETIONS[shell]);
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };

    const answer = execFileSync(shell, ['-c', ASKED[shell](script, `$(touch ${marker})`)], { env, encoding: 'utf8' });

    expect(answer.split(/\s+/).filter((word) => word !== '')).toEqual(expect.arrayContaining(['status', 'states']));
    expect(existsSync(marker)).toBe(false);
    expect(execFileSync('cat', [asked], { encoding: 'utf8' })).toContain('complete|--|run|');
  });
});

/** What a shell is told, so that it completes `sluice run "<typed>" st`. */
const ASKED: Readonly<Record<(typeof SHELLS)[number], (script: string, typed: string) => string>> = {
  bash: (script, typed) =>
    `. '${script}'; COMP_WORDS=(sluice run '"${typed}"' st); COMP_CWORD=3; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (script, typed) =>
    `compdef() { :; }; _describe() { printf '%s\\n' "\${(@P)2%%:*}"; }; words=(sluice run '"${typed}"' st); CURRENT=4; . '${script}'; _sluice`,
  fish: (script, typed) => `source '${script}'; complete --do-complete 'sluice run "${typed}" st'`,
};
