/** The commands in docs/cli.md, from their rows in client/cli/program. The rest of the page is written by hand. */
import { readFileSync } from 'node:fs';
import { COMMANDS } from '../client/cli/program.js';
import { EXIT } from '../client/cli/terminal/exit-codes.js';
import { withPart } from './marked-part.js';

export const CLI_PAGE = 'docs/cli.md';

export function renderCli(): string {
  const rows = COMMANDS.map(
    ({ name, about, exits }) => `| \`${name}\` | ${about} | ${exits.map((exit) => EXIT[exit]).join(', ')} |`,
  );
  const part = { file: CLI_PAGE, begin: '<!-- commands: npm run docs -->', end: '<!-- end of commands -->' };
  return withPart(readFileSync(CLI_PAGE, 'utf8'), part, [
    '| command | what it does | can return |',
    '|---|---|---|',
    ...rows,
  ]);
}
