/** A value at its dotted place in a tree, as the sections of a config file and of a policy hold their keys. */

export interface Tree {
  [part: string]: unknown;
}

/** Effects: makes the sections on the way. **Shape** none of them has a value of its own. */
export function placeAt(tree: Tree, path: string, value: unknown): void {
  const parts = path.split('.');
  const last = parts.pop() ?? path;
  // Sections alone stand on the way.
  parts.reduce((section, part) => (section[part] ??= {}) as Tree, tree)[last] = value;
}
