/**
 * Commands of `sluice run --agent command -- …`, kept on the host under their hash: a start input carries the hash only, so
 * that nobody who can start a workflow can choose a program. A content that does not fit its hash is refused.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { isProgram } from '../keys/key-values.js';
import { ConfigError, problem } from '../system/config-error.js';
import { hashOfText } from '../system/config-text.js';
import { replaceFile } from '../system/replace-file.js';
import { homePaths } from './home.js';
import { readTextFile } from './private-file.js';
import { HASH } from './trust.js';

export type Command = readonly [string, ...string[]];

const MAX_COMMAND_BYTES = 128 * 1024;

const commandSchema = z.strictObject({ argv: z.tuple([z.string().refine(isProgram)], z.string()) });

/** Answers the hash. **Effects** commands/<hash>.json. **Errors** ConfigError (BadAgent) for what is no program on PATH or absolute path. */
export function storeCommand(root: string, argv: readonly string[]): string {
  const [program, ...args] = argv;
  const isUsable = program !== undefined && isProgram(program) && args.every((arg) => !arg.includes('\0'));
  const text = `${JSON.stringify({ argv })}\n`;
  if (!isUsable || Buffer.byteLength(text) > MAX_COMMAND_BYTES) {
    const rule = 'must be a program on PATH or an absolute path, then its arguments, at most 128 KiB';
    const mend = 'Name it by its full path:  sluice run "<task>" --agent command -- "$PWD/<program>"';
    throw new ConfigError([
      problem('BadAgent', '--agent command', {
        key: 'agent',
        found: `the program is ${JSON.stringify(program ?? '')}`,
        rule,
        mend,
      }),
    ]);
  }
  const hash = hashOfText(text);
  replaceFile(join(homePaths(root).commandsDir, `${hash}.json`), text);
  return hash;
}

/** **Errors** ConfigError of type BadInput for a hash that this host does not hold. */
export function readCommand(root: string, hash: string): Command {
  const text = HASH.test(hash) ? readTextFile(join(homePaths(root).commandsDir, `${hash}.json`)) : null;
  if (text !== null && hashOfText(text) === hash) {
    const { argv } = commandSchema.parse(JSON.parse(text));
    return argv;
  }
  const found = `commandHash is ${JSON.stringify(hash.slice(0, 64))}`;
  const mend = 'Start the run on this host:  sluice run "<task>" --agent command -- <program>';
  throw new ConfigError([
    problem('BadInput', 'run input', {
      key: 'commandHash',
      found,
      rule: 'must be the hash of a command that this host holds',
      mend,
    }),
  ]);
}
