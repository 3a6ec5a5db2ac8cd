/** What `sluice doctor` makes of a look at a forge: the token, what it may do, and whether what the config wants lands on the base. Pure. */
import { variablesFor } from '../../../config/home/forge-token.js';
import type { ForgeTrouble } from '../../../protocol/actors/forge.js';
import type { BaseRules, ForgeReport, ForgeSays } from '../../../protocol/actors/forge-report.js';
import type { LandingMethod } from '../../../protocol/run/landing-policy.js';
import { type Finding, fail, pass, warn } from './doctor-finding.js';

export interface WantedOfForge {
  /** `owner/name`, as the config has it. */
  readonly repo: string;
  /** Of the forge, as `gh` names it. */
  readonly host: string;
  readonly method: LandingMethod;
}

const TOKEN = 'forge token';
const REPOSITORY = 'forge repository';
const BASE = 'forge base';

export function forgeFindings(report: ForgeReport, wanted: WantedOfForge): readonly Finding[] {
  const { said } = report;
  const login = `gh auth login --hostname ${wanted.host}, or: export ${variablesFor(wanted.host)[0]}=<token>`;
  if (report.tokenSource === null) return [fail(TOKEN, `none: ${said.kind === 'said' ? '' : said.why}`, login)];
  if (said.kind === 'unauthorized')
    return [fail(TOKEN, `${report.tokenSource} has one that the forge does not know: ${said.why}`, login)];
  const token = tokenFinding(report, report.tokenSource, wanted.host);
  if (said.kind !== 'said') return [token, troubleFinding(said, wanted)];
  return [
    token,
    repositoryFinding(said, wanted),
    ...(said.rules === null ? [noBase(said)] : [baseFinding(said, said.rules, wanted)]),
  ];
}

/** A fine-grained token, and one of an app, tell nothing of what they may do; nor does an answer that is none. */
function tokenFinding({ scopes, said }: ForgeReport, source: string, host: string): Finding {
  if (said.kind !== 'said') return pass(TOKEN, `of ${source}`);
  if (scopes === null)
    return pass(
      TOKEN,
      `of ${source}, without scopes, as a fine-grained one or one of an app has none: it needs to write contents and pull requests`,
    );
  const text = `of ${source}, scopes ${scopes.length === 0 ? 'none' : scopes.join(', ')}`;
  const lacks = ['repo', 'workflow'].filter((scope) => !scopes.includes(scope));
  if (lacks.length === 0) return pass(TOKEN, text);
  const what = lacks.includes('repo')
    ? 'it may change public repositories at most'
    : 'it may push no change of .github/workflows';
  return warn(
    TOKEN,
    `${text}: ${what}`,
    `gh auth refresh --hostname ${host} --scopes ${lacks.join(',')}, or another token with them`,
  );
}

const MENDS: Readonly<Record<Exclude<ForgeTrouble['kind'], 'unauthorized'>, string>> = {
  limited: 'it passes by itself',
  unreachable: 'look at forge.apiUrl and at the network, then: sluice doctor',
  missing_scope: 'give the token the scope `repo`, or the right to write contents and pull requests',
  gone: 'look at forge.repo, and at what the token may see',
  moved: 'name it in forge.repo as it is called now',
  refused: 'look there at what it refuses',
};

function troubleFinding(
  trouble: Exclude<ForgeTrouble, { readonly kind: 'unauthorized' }>,
  { repo }: WantedOfForge,
): Finding {
  const found = `${repo}: ${trouble.kind.replace('_', ' ')}: ${trouble.why}`;
  const passes = trouble.kind === 'limited' || trouble.kind === 'unreachable';
  return passes ? warn(REPOSITORY, found, MENDS[trouble.kind]) : fail(REPOSITORY, found, MENDS[trouble.kind]);
}

function repositoryFinding({ repo, isArchived, mayPush, methods }: ForgeSays, wanted: WantedOfForge): Finding {
  if (repo.toLowerCase() !== wanted.repo.toLowerCase())
    return fail(REPOSITORY, `${wanted.repo} is called ${repo} now`, MENDS.moved);
  if (isArchived)
    return fail(
      REPOSITORY,
      `${repo} is archived: nothing can be pushed`,
      'unarchive it there, or name another in forge.repo',
    );
  if (!mayPush)
    return fail(
      REPOSITORY,
      `the account of the token may not push to ${repo}`,
      'have it given the right to write, or take the token of one that has it',
    );
  return pass(
    REPOSITORY,
    `${repo}, may be pushed to, merges by ${methods.length === 0 ? 'nothing' : methods.join(', ')}`,
  );
}

function noBase({ branch, repo }: ForgeSays): Finding {
  return warn(
    BASE,
    `${repo} has no branch ${branch}, the one of this checkout: nothing lands there`,
    `git push <remote> ${branch}, or land with --onto <branch>`,
  );
}

function baseFinding(said: ForgeSays, rules: BaseRules, { method }: WantedOfForge): Finding {
  const text = `${said.branch}: ${rulesText(rules)}`;
  const isForges = rules.isProtected || rules.hasQueue || method !== 'merge';
  const ways = said.methods.filter((one) => fits(one, rules));
  // Without rules the checked commit itself is pushed, and its own queue merges in its own way.
  if (!isForges || rules.hasQueue || ways.includes(method)) return pass(BASE, text);
  const why = said.methods.includes(method) ? 'its rules refuse' : 'its settings do not allow';
  const mend = ways.length === 0 ? 'allow a way of merging there that its rules take' : `landing.method: ${ways[0]}`;
  return warn(BASE, `${text}; ${why} landing.method: ${method}`, mend);
}

/** Commits of an agent are signed by nobody, and of a rebase the forge signs none; a squash it signs. */
function fits(method: LandingMethod, { isLinear, isSigned }: BaseRules): boolean {
  if (isSigned) return method === 'squash';
  return !isLinear || method !== 'merge';
}

function rulesText({ isProtected, requiredChecks, approvals, isLinear, isSigned, hasQueue }: BaseRules): string {
  if (!isProtected && !hasQueue) return 'no rules, the checked commit itself is pushed';
  const parts = [
    requiredChecks.length === 0 ? 'no required checks' : `required checks ${requiredChecks.join(', ')}`,
    ...(approvals > 0 ? [`reviews that approve: ${approvals}`] : []),
    ...(isLinear ? ['linear history'] : []),
    ...(isSigned ? ['signed commits'] : []),
    ...(hasQueue ? ["the forge's own merge queue"] : []),
  ];
  return `protected, the forge merges there: ${parts.join('; ')}`;
}
