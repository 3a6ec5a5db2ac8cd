/** The web hook of a forge: who is heard at the door, and whom a ring reaches. */
import type { Mutant } from '../mutant.js';

const DOOR = 'test/unit/doorbell/listen-for-rings.test.ts';

export const DOORBELL_MUTANTS: readonly Mutant[] = [
  {
    name: 'a web hook that anybody forged is heard',
    area: 'forge',
    file: 'worker/doorbell/listen-for-rings.ts',
    find: 'if (!isSignedBy(secret, signature, body)) return 401;',
    replace: '',
    test: { file: DOOR, title: 'refuses one %s' },
  },
  {
    name: 'a web hook that is replayed under another id is heard again',
    area: 'forge',
    file: 'worker/doorbell/listen-for-rings.ts',
    find: 'if (known.has(delivery) || known.has(signature)) return 202;',
    replace: 'if (known.has(delivery)) return 202;',
    test: { file: DOOR, title: 'hears one that is %s no more than once' },
  },
  {
    name: 'a web hook without a length is read to its end',
    area: 'forge',
    file: 'worker/doorbell/listen-for-rings.ts',
    find: 'if (bytes > MAX_BYTES) return null;',
    replace: '',
    test: { file: DOOR, title: 'reads no more than 1 MB of what has no length' },
  },
  {
    name: 'a web hook of another repository rings',
    area: 'forge',
    file: 'worker/doorbell/bell.ts',
    find: 'return `${repo}#${number}`;',
    replace: 'return `${repo === "" ? repo : ""}#${number}`;',
    test: {
      file: 'test/unit/doorbell/bell.test.ts',
      title: 'for %s has those look that it is about, and nobody else',
    },
  },
  {
    name: 'a web hook burns the limit of a forge',
    area: 'forge',
    file: 'workflows/merge-queue/queue-table.ts',
    find: 'Math.max(now, before.notBeforeMs ?? now)',
    replace: 'now',
    test: {
      file: 'test/unit/workflows/queue-forge.test.ts',
      title: 'asks a forge for nothing before its limit is over, however often somebody rings',
    },
  },
];
