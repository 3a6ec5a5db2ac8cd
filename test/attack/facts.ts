/** What the hostile agent is told, as variables of its lines, and what the paths of an effect may name. */

/** Of the world: the same for all runs of a setting. */
export interface WorldFacts {
  /** HOME of the person. */
  readonly PERSON: string;
  /** The sluice home. */
  readonly SHOME: string;
  /** A folder of the world that no run has anything to do with. */
  readonly FOLDER: string;
  /** Planted programs write here; nothing else does. */
  readonly MARKS: string;
  /** Another run, which waits at its gate, and its worktree. */
  readonly VICTIM: string;
  readonly OTHER: string;
  /** Others that wait at theirs: one for a decision with the turn tag, one for a decision without, one to be terminated. */
  readonly TAGGED_GATE: string;
  readonly GATED: string;
  readonly DOOMED: string;
  readonly WORKER: string;
  readonly GUARD: string;
  readonly GUARDSOCK: string;
  readonly ADDRESS: string;
  readonly NAMESPACE: string;
  readonly TEMPORAL: string;
  readonly CLI: string;
  readonly LOOPBACK: string;
  readonly LOOPBACK6: string;
  readonly DATAGRAM: string;
  readonly SOCKET: string;
  readonly ABSTRACT: string;
  /** A process of the person, which carries a secret in its environment. */
  readonly NEIGHBOUR: string;
  /** Another one, to be killed. */
  readonly PREY: string;
  /** Where the built engine lies. */
  readonly DIST: string;
}

export interface Facts extends WorldFacts {
  readonly REPO: string;
  readonly RUN: string;
  /** It has the shape of a real one, and opens nothing. */
  readonly TOKEN: string;
  /** What the try starts carries it, with `.<id>.` behind, in its environment or its command line. */
  readonly TAG: string;
}

/** `$NAME` becomes the fact; `$TRY` and `$TAGGED` are given beside them. Errors: plain Error for a name that is no fact. */
export function expand(path: string, facts: Readonly<Record<string, string>>): string {
  return path.replace(/\$([A-Z0-9_]+)/g, (_whole, name: string) => {
    const value = facts[name];
    if (value === undefined) throw new Error(`${path}: $${name} is no fact`);
    return value;
  });
}
