/**
 * A landing by its table and a clock of the test's own, since no server passes five days in a test: what it asks of the forge goes there by the real activities, over HTTP and git. A look at a
 * forge where nothing has changed since the last one is answered as that was.
 */
import type { EnsurePullInput, LookAtPullInput, LookAtPullResult } from '../../../protocol/actors/forge.js';
import { DEFAULT_LANDING, type LandingMode } from '../../../protocol/run/landing-policy.js';
import { viewOf } from '../../../workflows/landing/landing-view.js';
import { type ForgeWorld, openForgeWorld } from '../../unit/forge/forge-world.js';
import { based, MINUTE_MS, READY, RULES, SOURCE, TERMS, World } from '../landing-world.js';

export class VirtualLanding {
  private done = 0;
  private last: { readonly forge: string; readonly result: LookAtPullResult } | null = null;

  private constructor(
    readonly at: ForgeWorld,
    readonly world: World,
  ) {}

  /** Of a closed run, until its pull request was looked at. */
  static async open(mode: LandingMode): Promise<VirtualLanding> {
    const at = await openForgeWorld({ landing: { mode } });
    const opened = new VirtualLanding(at, new World({ isUnasked: true }));
    const { world } = opened;
    const { repoKey } = at.about;
    const source = { ...SOURCE, head: at.head, repoKey, base: { branch: 'main', sha: at.base } };
    const forge = { repo: at.forge.state.name, checksTimeoutMs: 60 * MINUTE_MS, reactRounds: 0 };
    world.tell({ kind: 'begin' });
    world.tell({ kind: 'opened', run: { ...READY, source } as typeof READY });
    world.tell(based('main', { ...TERMS, forge, canFix: true, landing: { ...DEFAULT_LANDING, mode } }));
    await opened.settle();
    return opened;
  }

  get view() {
    return viewOf(this.world.state);
  }

  /** Of what it has done so far. */
  get kinds(): readonly string[] {
    return this.world.errands.map(({ kind }) => kind);
  }

  /** Wakes it whenever it wants, for so long or until it waits for nothing more; answers how long it slept each time. Unit: ms. */
  async pass(ms: number): Promise<readonly number[]> {
    const { world } = this;
    const end = world.now + ms;
    const slept: number[] = [];
    for (let at = RULES.wakesAt(world.state); at !== null && at <= end; at = RULES.wakesAt(world.state)) {
      slept.push(at - world.now);
      world.now = at;
      world.tell({ kind: 'tick' });
      await this.settle();
    }
    world.now = Math.max(world.now, end);
    return slept;
  }

  private async look(input: LookAtPullInput): Promise<LookAtPullResult> {
    const { state } = this.at.forge;
    const forge = JSON.stringify([input, state.pulls, [...state.checks], state.rules, state.git('for-each-ref')]);
    if (this.last?.forge === forge) return this.last.result;
    const result = await this.at.act(({ lookAtPull }) => lookAtPull(input));
    this.last = { forge, result };
    return result;
  }

  /** What it asks of the forge is asked and answered. */
  private async settle(): Promise<void> {
    const { world, at } = this;
    for (; this.done < world.errands.length; this.done += 1) {
      const errand = world.errands[this.done];
      if (errand?.kind === 'ensurePull') {
        const input: EnsurePullInput = { ...errand.input, ...at.about, headRunId: at.about.runId };
        world.tell({ kind: 'ensured', result: await at.act(({ ensurePull }) => ensurePull(input)) });
      }
      if (errand?.kind === 'lookAtPull') {
        world.tell({ kind: 'pulled', result: await this.look({ ...errand.input, ...at.about }) });
      }
    }
  }
}
