/** What a fake forge keeps of one repository: a real bare repository, and the pull requests, checks and rules beside it. Tests change it as a person would. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FakeReview {
  readonly author: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED';
  readonly commit: string;
}

export interface FakePull {
  readonly number: number;
  readonly nodeId: string;
  title: string;
  body: string;
  /** `owner/name` of the head's repository: a fork's branch can have the same name. */
  readonly headRepo: string;
  readonly headBranch: string;
  /** Of a fork, or of a pull request that is not open; else that of the branch counts. */
  headOid: string;
  base: string;
  state: 'open' | 'closed';
  isDraft: boolean;
  labels: string[];
  merged: { readonly commit: string; readonly by: string } | null;
  reviews: FakeReview[];
  comments: { readonly author: string; body: string }[];
  isQueued: boolean;
  updatedAt: number;
}

export interface FakeCheck {
  readonly name: string;
  /** Null: a commit status. */
  readonly app: number | null;
  /** Of GraphQL: `SUCCESS`, `FAILURE`, …; null: it is at work. */
  readonly conclusion: string | null;
  readonly startedAt: string;
}

export interface FakeRules {
  requiredChecks: { readonly context: string; readonly app: number | null }[];
  approvals: number;
  hasQueue: boolean;
  /** Only the forge itself moves the base. */
  needsPull: boolean;
}

export class ForgeState {
  readonly bare: string;
  pulls: FakePull[] = [];
  readonly checks = new Map<string, FakeCheck[]>();
  readonly rules: FakeRules = { requiredChecks: [], approvals: 0, hasQueue: false, needsPull: false };
  readonly scopes = new Map<string, string>();
  name: string;
  /** Where it answers under its former name. */
  formerName: string | null = null;
  isArchived = false;
  takesDrafts = true;
  /** Unit: ms. How far its clock is off. */
  clockOff = 0;
  private tick = 0;
  private past: { readonly at: number; readonly pulls: readonly FakePull[] }[] = [];

  constructor(folder: string, name: string) {
    this.name = name;
    this.bare = join(folder, `${name}.git`);
    mkdirSync(this.bare, { recursive: true });
    this.git('init', '--quiet', '--bare', '--initial-branch=main', '.');
    this.git('config', 'http.receivepack', 'true');
    this.git('config', 'user.name', 'Forge');
    this.git('config', 'user.email', 'forge@example.invalid');
    const hook = join(this.bare, 'hooks', 'update');
    writeFileSync(hook, '#!/bin/sh\n[ ! -e protected ] || ! grep -qx "$1" protected || exit 1\n');
    chmodSync(hook, 0o755);
  }

  git(...args: readonly string[]): string {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    return execFileSync('git', [...args], { cwd: this.bare, encoding: 'utf8', stdio: [...stdio] }).trim();
  }

  /** Of rules that name a branch; its own git refuses it to everybody then. */
  protect(...branches: readonly string[]): void {
    this.rules.needsPull = branches.length > 0;
    writeFileSync(join(this.bare, 'protected'), branches.map((name) => `refs/heads/${name}\n`).join(''));
  }

  tip(branch: string): string | null {
    try {
      return this.git('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
    } catch {
      return null;
    }
  }

  /** A commit of somebody on a branch, with one file. */
  commit(branch: string, path: string, text: string): string {
    const parent = this.tip(branch);
    const index = join(this.bare, `index.${branch.replaceAll('/', '.')}`);
    const git = (args: readonly string[], input?: string) =>
      execFileSync('git', [...args], {
        cwd: this.bare,
        encoding: 'utf8',
        env: { ...process.env, GIT_INDEX_FILE: index },
        stdio: ['pipe', 'pipe', 'pipe'],
        ...(input === undefined ? {} : { input }),
      }).trim();
    git(parent === null ? ['read-tree', '--empty'] : ['read-tree', parent]);
    const blob = git(['hash-object', '-w', '--stdin'], text);
    git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    const tree = git(['write-tree']);
    const made = git(['commit-tree', tree, ...(parent === null ? [] : ['-p', parent]), '-m', `change ${path}`]);
    git(['update-ref', `refs/heads/${branch}`, made]);
    return made;
  }

  /** Later at each call, so that what changed after something else says so. */
  now(): number {
    this.tick += 1000;
    return Date.now() + this.clockOff + this.tick;
  }

  /** For answers that are behind. */
  remember(): void {
    this.past = [...this.past.slice(-99), { at: Date.now(), pulls: structuredClone(this.pulls) }];
  }

  pullsAt(time: number): readonly FakePull[] {
    return this.past.findLast(({ at }) => at <= time)?.pulls ?? [];
  }

  /** Another repository, as far as pull requests and rules go. */
  forget(): void {
    this.pulls = [];
    this.past = [];
    this.checks.clear();
    this.protect();
    Object.assign(this.rules, { requiredChecks: [], approvals: 0, hasQueue: false });
  }

  headOf(pull: FakePull): string {
    if (pull.state === 'closed' || pull.headRepo !== this.name) return pull.headOid;
    return this.tip(pull.headBranch) ?? pull.headOid;
  }

  pull(number: number): FakePull {
    const found = this.pulls.find((pull) => pull.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  touch(pull: FakePull): void {
    pull.updatedAt = this.now();
  }

  mergeability(pull: FakePull): 'MERGEABLE' | 'CONFLICTING' {
    try {
      this.git('merge-tree', '--write-tree', `refs/heads/${pull.base}`, this.headOf(pull));
      return 'MERGEABLE';
    } catch {
      return 'CONFLICTING';
    }
  }

  /** Whose head a push brought to their base is merged by that. */
  noticeMerged(): void {
    for (const pull of this.pulls.filter(({ state }) => state === 'open')) {
      const [base, head] = [this.tip(pull.base), this.headOf(pull)];
      if (base === null || this.git('rev-list', '--count', `${base}..${head}`) !== '0') continue;
      pull.headOid = head;
      pull.merged = { commit: base, by: 'a push' };
      pull.state = 'closed';
      this.touch(pull);
    }
  }

  /** By `by`; answers what the base is then, null where both sides conflict. */
  merge(
    pull: FakePull,
    by: string,
    { method = 'merge', message }: { method?: 'merge' | 'squash' | 'rebase'; message?: string } = {},
  ): string | null {
    if (this.mergeability(pull) === 'CONFLICTING') return null;
    const [base, head] = [this.git('rev-parse', `refs/heads/${pull.base}`), this.headOf(pull)];
    const tree = this.git('merge-tree', '--write-tree', base, head).split('\n')[0] ?? '';
    const parents = method === 'merge' ? ['-p', base, '-p', head] : ['-p', base];
    const said = message ?? `${pull.title} (#${pull.number})`;
    const commit = this.git('commit-tree', tree, ...parents, '-m', said);
    this.git('update-ref', `refs/heads/${pull.base}`, commit, base);
    pull.headOid = head;
    pull.merged = { commit, by };
    pull.state = 'closed';
    pull.isQueued = false;
    this.touch(pull);
    return commit;
  }

  close(pull: FakePull): void {
    pull.headOid = this.headOf(pull);
    pull.state = 'closed';
    this.touch(pull);
  }
}
