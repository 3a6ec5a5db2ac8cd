/** Links between views: no page is loaded anew, and what was typed stays. */
import type { ComponentChildren } from 'preact';
import { goTo } from '../state/path.js';

interface LinkProps {
  readonly to: string;
  readonly isHere?: boolean;
  readonly children: ComponentChildren;
}

export function Link({ to, isHere = false, children }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a href={to} onClick={follow} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}
