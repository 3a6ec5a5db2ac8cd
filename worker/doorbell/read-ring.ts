/**
 * What a delivery of a forge's web hook is about. It is read by the places at which GitHub names a pull request or a branch, whatever event it is, and nothing else of it is believed: whoever is
 * named is looked at. Pure. Source: docs.github.com, "Webhook events and payloads".
 */
import { isForgeRepository } from '../../config/keys/forge-address.js';
import { type Fields, fieldsOf, nameIn } from '../../protocol/text/fields.js';

export interface Ring {
  /** `owner/name`, in small letters: the forge takes any. */
  readonly repo: string;
  readonly pulls: readonly number[];
  readonly branches: readonly string[];
}

/** GitHub names fewer; of each list. */
const MAX_NAMED = 100;

const BRANCH = /^refs\/heads\/(?=.)/;

/** Null: it names no repository. It throws for nothing that JSON can hold. */
export function readRing(payload: unknown): Ring | null {
  const fields = fieldsOf(payload);
  const inside = (field: string) => fieldsOf(fields[field]);
  const repo = nameIn(inside('repository'), 'full_name');
  if (repo === null || !isForgeRepository(repo)) return null;
  const [pull, check, suite] = [inside('pull_request'), inside('check_run'), inside('check_suite')];
  const suiteOfCheck = fieldsOf(check['check_suite']);
  const pulls = [pull, inside('issue'), ...listIn(check, 'pull_requests'), ...listIn(suite, 'pull_requests')];
  const ref = nameIn(fields, 'ref');
  const branches = [
    nameIn(fieldsOf(pull['head']), 'ref'),
    nameIn(suiteOfCheck, 'head_branch'),
    nameIn(suite, 'head_branch'),
    ...listIn(fields, 'branches').map((branch) => nameIn(branch, 'name')),
    ref !== null && BRANCH.test(ref) ? ref.replace(BRANCH, '') : null,
  ];
  return {
    repo: repo.toLowerCase(),
    pulls: pulls.flatMap(({ number }) => (typeof number === 'number' && Number.isSafeInteger(number) ? [number] : [])),
    branches: branches.filter((branch) => branch !== null),
  };
}

function listIn(fields: Fields, field: string): readonly Fields[] {
  const list = fields[field];
  return Array.isArray(list) ? list.slice(0, MAX_NAMED).map(fieldsOf) : [];
}
