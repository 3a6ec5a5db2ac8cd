/** What a fake forge keeps of one repository: a real bare repository, and the pull requests, checks and rules beside it. Tests change it as a person would. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInOneShell } from '../in-one-shell.js';

const NEW_REPOSITORY = `
  git init --quiet --bare --initial-branch=main .
  git config http.receivepack true
  git config user.name Forge
  git config user.email forge@example.invalid
`;

/** Of a branch, a path and the parent, if there is one; the text of the file comes by the input. Prints the commit. */
const NEW_COMMIT = `
  git read-tree "\${3:---empty}"
  blob=$(git hash-object -w --stdin)
  git update-index --add --cacheinfo "100644,$blob,$2"
  tree=$(git write-tree)
  made=$(git commit-tree "$tree" \${3:+-p "$3"} -m "change $2")
  git update-ref "refs/heads/$1" "$made"
  echo "$made"
`;

export interface FakeReview {
  readonly author: string;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED';
  readonly commit: string;
  readonly body?: string;
  /** Of the author, as all of this: `MEMBER` unless it says otherwise. */
  readonly association?: string;
  readonly isBot?: boolean;
  readonly lines?: readonly FakeLine[];
}

/** What a review says of one line, by its author unless it says otherwise. */
export interface FakeLine {
  readonly path: string;
  readonly line: number | null;
  readonly body: string;
  readonly author?: string;
  readonly association?: string;
}

export interface FakeComment {
  readonly id: string;
  readonly author: string;
  body: string;
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
  comments: FakeComment[];
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
  readonly title?: string;
  readonly summary?: string;
}

export interface FakeRules {
  requiredChecks: { readonly context: string; readonly app: number | null }[];
  /** Of a rule of the older kind, of any app. */
  classicChecks: string[];
  approvals: number;
  hasQueue: boolean;
  /** Only the forge itself moves the base. */
  needsPull: boolean;
  isLinear: boolean;
  /** Of what lands; commits of an engine are signed by nobody. */
  isSigned: boolean;
}

export class ForgeState {
  readonly bare: string;
  pulls: FakePull[] = [];
  readonly checks = new Map<string, FakeCheck[]>();
  readonly rules: FakeRules = {
    requiredChecks: [],
    classicChecks: [],
    approvals: 0,
    hasQueue: false,
    needsPull: false,
    isLinear: false,
    isSigned: false,
  };
  readonly labels = new Set<string>();
  /** Of each token that is known; of a fine-grained one, or one of an app, an empty text. */
  readonly scopes = new Map<string, string>();
  /** As its settings have it. */
  methods: readonly string[] = ['merge', 'squash', 'rebase'];
  name: string;
  /** Where it answers under its former name. */
  formerName: string | null = null;
  isArchived = false;
  /** Of whoever asks. */
  permissions = { admin: true, push: true, pull: true };
  takesDrafts = true;
  /** It has not taken note of the pushes since its pull requests were made. */
  isBehind = false;
  /** Unit: ms. How far its clock is off. */
  clockOff = 0;
  /** Who is told of each change of a pull request. */
  changed: (pull: FakePull) => void = () => undefined;
  private tick = 0;
  /** By the commits of both sides. */
  private readonly merges = new Map<string, 'MERGEABLE' | 'CONFLICTING'>();
  private past: { readonly at: number; readonly pulls: readonly FakePull[] }[] = [];

  constructor(folder: string, name: string) {
    this.name = name;
    this.bare = join(folder, `${name}.git`);
    mkdirSync(this.bare, { recursive: true });
    runInOneShell(NEW_REPOSITORY, { cwd: this.bare });
    const hook = join(this.bare, 'hooks', 'update');
    writeFileSync(
      hook,
      '#!/bin/sh\n[ ! -e protected ] || ! grep -qx "$1" protected || { echo "error: GH006: $1 is protected" >&2; exit 1; }\n',
    );
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
    // Without a process for each question, unless somebody packed the refs.
    const loose = join(this.bare, 'refs/heads', branch);
    if (existsSync(loose)) return readFileSync(loose, 'utf8').trim();
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
    return runInOneShell(NEW_COMMIT, {
      cwd: this.bare,
      args: [branch, path, parent ?? ''],
      env: { ...process.env, GIT_INDEX_FILE: index },
      input: text,
    }).trim();
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
    if (pull.state === 'closed' || pull.headRepo !== this.name || this.isBehind) return pull.headOid;
    return this.tip(pull.headBranch) ?? pull.headOid;
  }

  pull(number: number): FakePull {
    const found = this.pulls.find((pull) => pull.number === number);
    if (found === undefined) throw new Error(`there is no pull request ${number}`);
    return found;
  }

  comment(pull: FakePull, author: string, body: string): FakeComment {
    const comment = { id: `IC_${randomUUID()}`, author, body };
    pull.comments.push(comment);
    this.touch(pull);
    return comment;
  }

  touch(pull: FakePull): void {
    pull.updatedAt = this.now();
    this.changed(pull);
  }

  mergeability(pull: FakePull): 'MERGEABLE' | 'CONFLICTING' | 'UNKNOWN' {
    const sides = [this.tip(pull.base) ?? '', this.headOf(pull)] as const;
    const known = this.merges.get(sides.join(' '));
    if (known !== undefined) return known;
    const found = this.canMerge(sides) ? 'MERGEABLE' : 'CONFLICTING';
    this.merges.set(sides.join(' '), found);
    return found;
  }

  private canMerge(sides: readonly [string, string]): boolean {
    try {
      this.git('merge-tree', '--write-tree', ...sides);
      return true;
    } catch {
      return false;
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
    const commit =
      method === 'rebase' ? this.replay(base, head) : this.git('commit-tree', tree, ...parents, '-m', said);
    this.git('update-ref', `refs/heads/${pull.base}`, commit, base);
    pull.headOid = head;
    pull.merged = { commit, by };
    pull.state = 'closed';
    pull.isQueued = false;
    this.touch(pull);
    return commit;
  }

  /** Each made anew, as the real one does even where nothing moved; who wrote it and when stays. */
  private replay(base: string, head: string): string {
    return this.git('rev-list', '--reverse', `${base}..${head}`)
      .split('\n')
      .reduce((last, one) => {
        const [tree = ''] = this.git('merge-tree', '--write-tree', base, one).split('\n');
        const said = this.git('log', '-1', '--format=%an%n%ae%n%aI%n%B', one).split('\n');
        const [GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_AUTHOR_DATE, ...message] = said;
        const env = { ...process.env, GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL, GIT_AUTHOR_DATE };
        const args = ['commit-tree', tree, '-p', last, '-m', message.join('\n')];
        return execFileSync('git', args, { cwd: this.bare, encoding: 'utf8', env }).trim();
      }, base);
  }

  close(pull: FakePull): void {
    pull.headOid = this.headOf(pull);
    pull.state = 'closed';
    this.touch(pull);
  }
}
