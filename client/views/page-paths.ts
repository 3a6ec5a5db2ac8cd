/** The views of the page, by their paths: what the server gives the page for, and what the page shows there. Pure. */

/** `:id` stands for one segment. */
export const VIEW_PATHS = ['/', '/runs/:id', '/batches', '/batches/:id', '/limits', '/landings'] as const;

export function isShellPath(path: string): boolean {
  return VIEW_PATHS.some((view) => matchPath(view, path) !== null);
}

/** The segment in the place of `:id`, `''` where there is none; null: another path. */
export function matchPath(view: string, path: string): string | null {
  const wanted = view.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return null;
  let id = '';
  for (const [place, part] of wanted.entries()) {
    const given = parts[place] ?? '';
    if (part.startsWith(':') && given !== '') id = given;
    else if (part !== given) return null;
  }
  return id;
}

/** Of the id of a batch or a queue: anybody may have chosen it who started it by hand. */
export function isWorkflowId(text: string): boolean {
  return /^[^\p{Cc}]{1,300}$/u.test(text);
}
