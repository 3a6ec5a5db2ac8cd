/** Which view is shown: the path of the address, without a page loaded anew. */
import { Store } from './store.js';

export const path = new Store(location.pathname);

window.addEventListener('popstate', () => path.set(location.pathname));

export function goTo(to: string): void {
  history.pushState(null, '', to);
  path.set(to);
  window.scrollTo(0, 0);
}
