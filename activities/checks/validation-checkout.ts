/**
 * Where validation runs: a checkout of the engine's own, never the agent's worktree. It is moved to a commit just before the first command that
 * starts there, and its set-up runs again when the commit's set-up inputs (lockfiles) differ from those it was made for. Each tree finds what the
 * set-up left and what `worktree.keep` names, and nothing else that is ignored.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSet } from '../../protocol/run/policy.js';
import { openValidationCheckout, type ValidationCheckout } from '../git/run/validation-checkout.js';
import { copyAndLink } from '../git/run/worktree-setup-files.js';
import type { ExitRecord } from '../process/contract.js';
import { readJson, writeMark } from '../process/marks.js';
import type { AtWorkplace } from '../unit/at-place.js';
import { readMark, writePlaceMark } from '../unit/place-record.js';
import { hashChecks } from './hash-checks.js';
import { type CommandLine, runCommandLine } from './run-command-line.js';
import { runSetup } from './run-setup.js';

const SETUP_FILE = 'validation-setup.json';

/** The next check sets the checkout up again. */
export function forgetSetup(stateDir: string): void {
  rmSync(join(stateDir, SETUP_FILE), { force: true });
}

/** Numbers the commands of one activity and keeps where the checkout was moved to. */
export class CheckoutSession {
  private next = 1;

  private lastSetup: CommandEndOnCheckout | null = null;

  private constructor(
    private readonly at: AtWorkplace,
    readonly checkout: ValidationCheckout,
  ) {}

  static async open(at: AtWorkplace): Promise<CheckoutSession> {
    const { owner, repository, checkout: path, git } = at.workplace;
    const snapshotOf = git?.gitDir ?? null;
    return new CheckoutSession(
      at,
      await openValidationCheckout({ owner, repository, path, gitDir: gitDirOf(at), snapshotOf }),
    );
  }

  /** The set-up command that ran last: where set-up failed, the one that did. */
  get setupEnd(): CommandEndOnCheckout | null {
    return this.lastSetup;
  }

  /** Runs the commands on a commit, set-up first. `each` sees every end as it comes. Answers why set-up failed, or null. */
  async runOn(
    commit: string,
    { commands, timeoutMs }: CheckSet,
    each: (index: number, end: CommandEndOnCheckout) => void,
  ): Promise<string | null> {
    const { stateDir } = this.at.workplace;
    let pending: string | null = commit;
    const prepare = async () => {
      if (pending !== null) await this.moveTo(pending);
      pending = null;
    };
    if (await this.setupDecision(commit)) {
      const error = await this.setUp(async (line, leftMs) => {
        this.lastSetup = await this.run({ kind: 'setup', line, timeoutMs: leftMs, prepare });
        pending = null;
        return this.lastSetup.exit;
      });
      if (error !== null) return error;
      const ignored = await this.listIgnoredOnce(commit);
      writeMark(
        join(stateDir, SETUP_FILE),
        JSON.stringify({ commit, by: this.setupHash(), ignored }),
        this.at.deps.durability,
      );
    }
    for (const [index, line] of commands.entries()) {
      each(index, await this.run({ kind: 'checks', line, timeoutMs, prepare }));
      pending = null;
    }
    return null;
  }

  private setUp(run: (line: string, timeoutMs: number) => Promise<ExitRecord>): Promise<string | null> {
    const { stateDir, policy } = this.at.workplace;
    const { worktree } = policy;
    // A set-up that fails half-way must run again, whatever the checkout was made for before.
    forgetSetup(stateDir);
    return runSetup({
      lines: worktree.setup,
      limitMs: worktree.setupTimeoutMs,
      run: (line, _index, timeoutMs) => run(line, timeoutMs),
    });
  }

  private async run(command: Omit<CommandLine, 'n' | 'cwd'>): Promise<CommandEndOnCheckout> {
    const n = this.next;
    this.next += 1;
    this.at.deps.failpoint('validate.before-command');
    const exit = await runCommandLine(this.at, { ...command, n, cwd: this.checkout.path });
    this.at.deps.failpoint('validate.after-command');
    return { line: command.line, exit };
  }

  private async moveTo(commit: string): Promise<void> {
    const { repository, policy } = this.at.workplace;
    const { copy, link, keep } = policy.worktree;
    await this.checkout.moveTo(commit, [...this.listedAtSetup(), ...keep]);
    this.at.deps.failpoint('check.after-purge');
    this.at.deps.failpoint('validate.after-checkout');
    await copyAndLink({ repository, target: this.checkout.path, copy, link, gitDir: gitDirOf(this.at) });
  }

  /** What the set-up left. Listed once a place: what checks leave is no part of it, and a later attempt may find them at work. */
  private async listIgnoredOnce(commit: string): Promise<readonly string[]> {
    const mark = `ignored-${commit}.json`;
    const known = readMark<readonly string[]>(this.at.place, mark);
    if (known.kind === 'answer') return known.value;
    const ignored = await this.checkout.listIgnored();
    writePlaceMark(this.at.place, mark, ignored);
    return ignored;
  }

  /** Nothing where a set-up is yet to run: it begins with nothing of an earlier one. */
  private listedAtSetup(): readonly string[] {
    const listed = readJson(join(this.at.workplace.stateDir, SETUP_FILE))?.['ignored'];
    return Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
  }

  /** Decided once a place: the numbers of the commands behind it depend on the answer, and a finished set-up changes what would be decided. */
  private async setupDecision(commit: string): Promise<boolean> {
    const mark = `setup-${commit}.json`;
    const known = readMark<boolean>(this.at.place, mark);
    if (known.kind === 'answer') return known.value;
    const needed = await this.needsSetup(commit);
    writePlaceMark(this.at.place, mark, needed);
    return needed;
  }

  /** The checkout of a queue is made ready for more than one config. */
  private setupHash(): string {
    const { deps, workplace } = this.at;
    return hashChecks({ commands: [], timeoutMs: 0, baseFailures: 'fix' }, { hostId: deps.hostId, workplace });
  }

  private async needsSetup(commit: string): Promise<boolean> {
    const { stateDir, policy } = this.at.workplace;
    const { worktree } = policy;
    if (worktree.setup.length === 0) return false;
    const known = readJson(join(stateDir, SETUP_FILE));
    const before = known?.['commit'];
    if (known?.['by'] !== this.setupHash() || (await this.checkout.isEmpty())) return true;
    return typeof before !== 'string' || this.checkout.setupInputsChanged(worktree.setupInputs, before, commit);
  }
}

function gitDirOf({ workplace }: AtWorkplace): string {
  return join(workplace.stateDir, 'validation.git');
}

export interface CommandEndOnCheckout {
  readonly line: string;
  readonly exit: ExitRecord;
}
