/** Draws the page, and follows what it shows. */
import { render } from 'preact';
import { App } from './app.js';
import { yoursIn } from './state/live.js';
import { signInAtStart } from './state/session.js';
import { followStream, live } from './state/stream.js';

export async function beginPage(root: Element): Promise<void> {
  await signInAtStart();
  root.replaceChildren();
  render(<App />, root);
  live.listen(tellTitle);
  void followStream();
}

/** Not by a view: a tab that nobody looks at is not drawn, but its title is read. */
function tellTitle(): void {
  const yours = yoursIn(live.value);
  document.title = yours === 0 ? 'sluice' : `(${yours}) sluice`;
}
