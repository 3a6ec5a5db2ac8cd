/** What git is given wherever it reads a repository whose config, attributes and hooks an agent can write. Source: githooks.txt, git-config.txt. */

/** `core.hooksPath` covers the reference-transaction hook of `update-ref` too (githooks.txt). */
export const GIT_RUNS_NOTHING: readonly string[] = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.attributesFile=/dev/null',
];

/** `HOME` is withheld, so that `~` in a config cannot name a file. */
export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  LC_ALL: 'C',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_EDITOR: 'true',
  // A promisor remote in a hostile config would start its `uploadpack` on the first missing object.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
};
