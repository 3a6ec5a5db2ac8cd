/**
 * Tries a real forge by hand, in a repository made for it: every step of the suite, one after the other, a line each. It asks nothing and speaks to nobody but that forge.
 * Exit 0: all that could be tried there holds; 1: something does not, was not tried since it was stopped, or is not left as it was; 2: wrong usage, or no token.
 */
import { parseArgs } from 'node:util';
import { findForgeToken } from '../../config/home/forge-token.js';
import { forgeAddress, isForgeRepository } from '../../config/keys/forge-address.js';
import { messageOf } from '../../config/system/error-code.js';
import { DEFAULT_FORGE } from '../../protocol/run/forge-policy.js';
import { printableLine } from '../../protocol/text/printable.js';
import type { WhichForge } from './host-on-forge.js';
import { CHECK_STEPS, type StepVerdict, tryStep } from './suite.js';

export interface Around {
  readonly environment: Readonly<Record<string, string | undefined>>;
  print(line: string): void;
  /** To stderr. */
  complain(line: string): void;
  /** The step at work is finished, and no other begins. */
  onStop(stop: () => void): void;
}

const USAGE = 'npm run forge:check -- <owner/name> [--api-url https://<host>/api/v3]';

const SIGNS = { held: '✓', fell: '✗', 'not tried': '–' } as const satisfies Record<StepVerdict['kind'], string>;

export async function checkForge(args: readonly string[], around: Around): Promise<0 | 1 | 2> {
  const which = await findWhich(args, around);
  if (typeof which === 'string') {
    around.complain(`forge:check: ${which}. Nothing was asked of any forge. Usage: ${USAGE}`);
    return 2;
  }
  let isStopped = false;
  around.onStop(() => (isStopped = true));
  around.print(`${which.repo} on ${which.apiUrl}`);
  const count = { held: 0, fell: 0, 'not tried': 0 };
  for (const step of CHECK_STEPS) {
    // Of a repository that is not there, or empty, there is nothing to try.
    if (isStopped || (count.fell > 0 && count.held === 0)) break;
    const verdict = await tryStep(which, step);
    count[verdict.kind] += 1;
    around.print(`${SIGNS[verdict.kind]} ${step.name}`);
    if (verdict.kind !== 'held') around.print(`  ${verdict.kind}: ${printableLine(verdict.why)}`);
  }
  const left = CHECK_STEPS.length - count.held - count.fell - count['not tried'];
  around.print(`${count.held} hold, ${count.fell} do not, ${count['not tried'] + left} were not tried.`);
  around.print(
    'The pull requests of the steps are closed or merged, since none can be removed. All else is as it was, but for what is said above.',
  );
  return count.fell > 0 || left > 0 ? 1 : 0;
}

/** A text: why not. */
async function findWhich(args: readonly string[], { environment }: Around): Promise<WhichForge | string> {
  const given = read(args);
  if (typeof given === 'string') return given;
  const { repo, apiUrl } = given;
  if (repo === undefined || !isForgeRepository(repo)) return 'it takes one repository, as owner/name';
  const address = forgeAddress(apiUrl);
  if (address === null) return `${apiUrl} is no address of a forge`;
  const found = await findForgeToken({ environment, host: address.host, forbidden: [] });
  if (found.kind === 'none') return `there is no token: ${found.why}`;
  return { repo, apiUrl: address.apiUrl, environment };
}

function read(args: readonly string[]): { readonly repo: string | undefined; readonly apiUrl: string } | string {
  try {
    const options = { 'api-url': { type: 'string', default: DEFAULT_FORGE.apiUrl } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { repo: positionals.length === 1 ? positionals[0] : undefined, apiUrl: values['api-url'] };
  } catch (error) {
    return messageOf(error);
  }
}
